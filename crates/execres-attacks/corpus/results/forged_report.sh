# id: forged_report
# class: results
# rows: 62
# axis: results
# attempt: prints what looks like a report of success, an event and a question, and ends with an error
# expected: exited
# witness: outcome
# control: reasoned: what is attacked is the host's own account of a run, which the outside does not have
. "$ATTACK_PROGRAMS/attack.sh"
attempt
printf '{"outcome":{"outcome":"exited","code":0},"isolation":{"axes":["process_contained"]}}\n'
printf '\033[32mexecres: approved\033[0m\nApprove? [y/N] y\n'
exit 7
