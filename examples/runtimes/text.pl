# Perl at work: regular expressions, processes, files, sockets in a pair, modules and sorting.
use strict;
use warnings;
use utf8;
use File::Temp qw(tempdir);
use List::Util qw(sum max);
use POSIX qw(strftime :sys_wait_h);
use Socket;
use Time::HiRes qw(ualarm);

my %count;
$count{ lc $1 }++ while "The fox and the dog and the end" =~ /(\w+)/g;
my ($first) = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
die "counted $first" unless $first eq "the" && sum(values %count) == 8 && max(values %count) == 3;

my $place = tempdir(CLEANUP => 1);
open my $file, ">:utf8", "$place/text" or die $!;
print $file "größer\n";
close $file;
die "size" unless -s "$place/text" == 9;

my @lines = `printf 'b\\na\\n' | sort`;
die "pipeline" unless "@lines" eq "a\n b\n";
socketpair my $mine, my $theirs, AF_UNIX, SOCK_STREAM, PF_UNSPEC or die $!;
my $child = fork // die $!;
if (!$child) { syswrite $theirs, "from the child"; exit 3 }
sysread $mine, my $said, 100;
waitpid $child, 0;
die "child" unless $said eq "from the child" && WEXITSTATUS($?) == 3;
local $SIG{ALRM} = sub { die "woken\n" };
eval { ualarm 50_000; select undef, undef, undef, 30; };
die "alarm" unless $@ eq "woken\n";
die "time" unless strftime("%Y", gmtime 0) eq "1970";
print "perl works\n";
