#include "samples.h"

#include <stdio.h>
#include <stdlib.h>

#include "ws.h"

void add_sample(struct samples *samples, double seconds)
{
    if (samples->count == samples->room) {
        samples->room = samples->room ? 2 * samples->room : 4096;
        samples->values = realloc(samples->values, samples->room * sizeof *samples->values);
        must(samples->values != NULL, "no memory");
    }
    samples->values[samples->count++] = seconds;
}

void clear_samples(struct samples *samples)
{
    samples->count = 0;
}

static int by_size(const void *left, const void *right)
{
    double difference = *(const double *)left - *(const double *)right;
    return difference < 0 ? -1 : difference > 0;
}

static double share(const struct samples *samples, double part)
{
    return samples->count ? 1e3 * samples->values[(size_t)(part * (double)(samples->count - 1))] : 0;
}

void print_samples(const char *name, struct samples *samples)
{
    if (samples->count)
        qsort(samples->values, samples->count, sizeof *samples->values, by_size);
    printf("\"%s\":{\"count\":%zu,\"p50\":%.3f,\"p95\":%.3f,\"p99\":%.3f,\"max\":%.3f}", name,
           samples->count, share(samples, 0.5), share(samples, 0.95), share(samples, 0.99),
           share(samples, 1));
}
