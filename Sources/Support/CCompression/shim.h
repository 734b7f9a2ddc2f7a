#ifndef TAPELINE_CCOMPRESSION_SHIM_H
#define TAPELINE_CCOMPRESSION_SHIM_H

// First, for the same reason as in CLibevent/shim.h.
#include <features.h>

#include <brotli/decode.h>
#include <zlib.h>
#include <zstd.h>

#endif
