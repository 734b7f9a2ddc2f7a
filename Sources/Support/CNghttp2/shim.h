#ifndef TAPELINE_CNGHTTP2_SHIM_H
#define TAPELINE_CNGHTTP2_SHIM_H

// First, for the same reason as in CLibevent/shim.h.
#include <features.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nghttp2/nghttp2.h>

// 1.60 replaced every function and type with ssize_t in it, and announces that the old ones will go. Each function below is
// the one that the installed version wants.

#if NGHTTP2_VERSION_NUM >= 0x013c00
typedef nghttp2_ssize tapeline_nghttp2_count;
#else
typedef ssize_t tapeline_nghttp2_count;
#endif

typedef tapeline_nghttp2_count (*tapeline_nghttp2_read_callback)(
    nghttp2_session *session, int32_t stream, uint8_t *buffer, size_t length, uint32_t *flags, nghttp2_data_source *source,
    void *context);

typedef tapeline_nghttp2_count (*tapeline_nghttp2_read_length_callback)(
    nghttp2_session *session, uint8_t type, int32_t stream, int32_t session_window, int32_t stream_window,
    uint32_t maximum_frame_size, void *context);

static inline ptrdiff_t tapeline_nghttp2_receive(nghttp2_session *session, const uint8_t *bytes, size_t count) {
#if NGHTTP2_VERSION_NUM >= 0x013c00
  return nghttp2_session_mem_recv2(session, bytes, count);
#else
  return nghttp2_session_mem_recv(session, bytes, count);
#endif
}

static inline ptrdiff_t tapeline_nghttp2_send(nghttp2_session *session, const uint8_t **bytes) {
#if NGHTTP2_VERSION_NUM >= 0x013c00
  return nghttp2_session_mem_send2(session, bytes);
#else
  return nghttp2_session_mem_send(session, bytes);
#endif
}

// The stream ends with its head if `read` is null.
static inline int32_t tapeline_nghttp2_submit_request(
    nghttp2_session *session, const nghttp2_nv *lines, size_t count, tapeline_nghttp2_read_callback read) {
#if NGHTTP2_VERSION_NUM >= 0x013c00
  nghttp2_data_provider2 provider = {.source = {.ptr = NULL}, .read_callback = read};
  return nghttp2_submit_request2(session, NULL, lines, count, read == NULL ? NULL : &provider, NULL);
#else
  nghttp2_data_provider provider = {.source = {.ptr = NULL}, .read_callback = read};
  return nghttp2_submit_request(session, NULL, lines, count, read == NULL ? NULL : &provider, NULL);
#endif
}

static inline int tapeline_nghttp2_submit_response(
    nghttp2_session *session, int32_t stream, const nghttp2_nv *lines, size_t count, tapeline_nghttp2_read_callback read) {
#if NGHTTP2_VERSION_NUM >= 0x013c00
  nghttp2_data_provider2 provider = {.source = {.ptr = NULL}, .read_callback = read};
  return nghttp2_submit_response2(session, stream, lines, count, read == NULL ? NULL : &provider);
#else
  nghttp2_data_provider provider = {.source = {.ptr = NULL}, .read_callback = read};
  return nghttp2_submit_response(session, stream, lines, count, read == NULL ? NULL : &provider);
#endif
}

static inline void tapeline_nghttp2_callbacks_set_read_length(
    nghttp2_session_callbacks *callbacks, tapeline_nghttp2_read_length_callback callback) {
#if NGHTTP2_VERSION_NUM >= 0x013c00
  nghttp2_session_callbacks_set_data_source_read_length_callback2(callbacks, callback);
#else
  nghttp2_session_callbacks_set_data_source_read_length_callback(callbacks, callback);
#endif
}

// Distributions have added these two to older versions together with their fixes, so no version number says whether they exist.
extern void nghttp2_option_set_stream_reset_rate_limit(nghttp2_option *option, uint64_t burst, uint64_t rate)
    __attribute__((weak));
extern void nghttp2_option_set_max_continuations(nghttp2_option *option, size_t count) __attribute__((weak));

// nghttp2's own limits on resets and CONTINUATION frames give no reason and go by its own clock. Ours come first, so these are
// only moved out of the way.
static inline void tapeline_nghttp2_option_leave_floods_to_us(nghttp2_option *option, size_t continuations) {
  if (nghttp2_option_set_stream_reset_rate_limit) {
    nghttp2_option_set_stream_reset_rate_limit(option, UINT32_MAX, UINT32_MAX);
  }
  if (nghttp2_option_set_max_continuations) {
    nghttp2_option_set_max_continuations(option, continuations);
  }
}

// A PRIORITY_UPDATE frame (RFC 9218 7.1) is a frame with a payload of its own type.
static inline const nghttp2_ext_priority_update *tapeline_nghttp2_priority_update(const nghttp2_frame *frame) {
  return (const nghttp2_ext_priority_update *)frame->ext.payload;
}

#endif
