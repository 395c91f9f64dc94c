/* The longest Collatz chain below a limit: halve what is even, triple and add one to what is odd, until 1. */

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define DEFAULT_LIMIT 1000000u

/* The length of the chain from `start`; `known[n]` holds the length for every n below `start`. */
static uint32_t chain_length(uint64_t start, const uint32_t *known)
{
    uint64_t n = start;
    uint32_t steps = 0;

    while (n >= start && n != 1) {
        n = n % 2 == 0 ? n / 2 : 3 * n + 1;
        steps++;
    }
    return steps + (n == 1 ? 1 : known[n]);
}

static void print_chain(uint64_t n)
{
    printf("%llu", (unsigned long long)n);
    for (int shown = 1; n != 1 && shown < 12; shown++) {
        n = n % 2 == 0 ? n / 2 : 3 * n + 1;
        printf(" -> %llu", (unsigned long long)n);
    }
    puts(n == 1 ? "" : " -> ...");
}

int main(int argc, char **argv)
{
    unsigned long limit = DEFAULT_LIMIT;
    if (argc > 1) {
        char *end;
        errno = 0;
        limit = strtoul(argv[1], &end, 10);
        if (errno != 0 || *end != '\0' || limit < 2 || limit > 50000000ul) {
            fprintf(stderr, "usage: collatz [LIMIT], with 2 <= LIMIT <= 50000000\n");
            return 2;
        }
    }

    uint32_t *known = calloc(limit, sizeof *known);
    if (known == NULL) {
        perror("collatz");
        return 1;
    }

    uint64_t longest = 1;
    known[1] = 1;
    for (uint64_t start = 2; start < limit; start++) {
        known[start] = chain_length(start, known);
        if (known[start] > known[longest])
            longest = start;
    }

    printf("longest Collatz chain below %lu: %u numbers, from %llu\n", limit, known[longest],
           (unsigned long long)longest);
    print_chain(longest);
    free(known);
    return 0;
}
