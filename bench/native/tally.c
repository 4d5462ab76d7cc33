#include "tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ws.h"

enum { REQUESTS = 1 << 20, SEQS = 1 << 22 };

struct sight { /* of a sampled watcher */
    uint64_t first, last;
    double at;
};

struct tally tally;
static double placed_at[REQUESTS]; /* by request */
static double seq_placed_at[SEQS]; /* by seq, from the first that was acknowledged */
static uint64_t first_seq;
static struct sight *sights;
static size_t sight_count, sight_room;

void note_placed(uint32_t request, uint64_t records)
{
    placed_at[request % REQUESTS] = seconds_now();
    tally.placed += records;
}

void take_pixels(uint64_t *told, bool sampled, const uint8_t *payload)
{
    uint64_t first, last;
    memcpy(&first, payload + 8, 8);
    memcpy(&last, payload + 16, 8);
    tally.holes += *told && first > *told + 1;
    *told = last;
    tally.frames += tally.measuring;
    if (!tally.measuring || !sampled)
        return;
    if (sight_count == sight_room) {
        sight_room = sight_room ? 2 * sight_room : 4096;
        must((sights = realloc(sights, sight_room * sizeof *sights)) != NULL, "no memory");
    }
    sights[sight_count++] = (struct sight){first, last, seconds_now()};
}

void take_ack(const uint8_t *payload)
{
    uint32_t request;
    uint64_t seq;
    memcpy(&request, payload + 4, 4);
    memcpy(&seq, payload + 8, 8);
    double placed = placed_at[request % REQUESTS];
    tally.answered++;
    if (payload[1]) {
        tally.refused++;
        return;
    }
    first_seq = first_seq ? first_seq : seq;
    if (seq >= first_seq && seq - first_seq < SEQS)
        seq_placed_at[seq - first_seq] = placed;
    if (tally.measuring)
        add_sample(&tally.acks, seconds_now() - placed);
}

/* Only now, since an ack follows the frame that it speaks of. */
static void find_deliveries(void)
{
    for (size_t index = 0; index < sight_count; index++)
        for (uint64_t seq = sights[index].first; seq <= sights[index].last; seq++) {
            bool known = seq >= first_seq && seq - first_seq < SEQS;
            if (known && seq_placed_at[seq - first_seq] > 0)
                add_sample(&tally.deliveries, sights[index].at - seq_placed_at[seq - first_seq]);
        }
}

static void print_count(const char *name, uint64_t count)
{
    printf("\"%s\":%llu,", name, (unsigned long long)count);
}

void print_joined(const char *what, long inside, long gone, double seconds)
{
    printf("%s {\"seconds\":%.3f,", what, seconds);
    print_count("inside", (uint64_t)inside);
    print_count("gone", (uint64_t)gone);
    print_count("bytes", tally.joined_bytes);
    print_samples("joins", &tally.joins);
    printf(",");
    print_samples("probes", &tally.probes);
    printf("}\n");
    fflush(stdout);
}

void print_end(double seconds, long gone)
{
    find_deliveries();
    printf("end {\"seconds\":%.3f,", seconds);
    print_count("frames", tally.frames);
    print_count("bytes", tally.bytes);
    print_count("placed", tally.placed);
    print_count("answered", tally.answered);
    print_count("refused", tally.refused);
    print_count("holes", tally.holes);
    print_count("gone", (uint64_t)gone);
    print_samples("acks", &tally.acks);
    printf(",");
    print_samples("deliveries", &tally.deliveries);
    printf(",");
    print_samples("probes", &tally.probes);
    printf("}\n");
    fflush(stdout);
}
