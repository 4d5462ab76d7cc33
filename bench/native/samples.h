/* Times that were measured, kept whole, and what is told of them. */
#ifndef TESSERAE_BENCH_SAMPLES_H
#define TESSERAE_BENCH_SAMPLES_H

#include <stddef.h>

struct samples {
    double *values; /* seconds */
    size_t count, room;
};

void add_sample(struct samples *samples, double seconds);
void clear_samples(struct samples *samples);
/* Prints `"name":{"count":…,"p50":…,"p95":…,"p99":…,"max":…}` in milliseconds. */
void print_samples(const char *name, struct samples *samples);

#endif
