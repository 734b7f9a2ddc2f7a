internal import CNghttp2

// nghttp2 calls these functions inside a session's `receive` and `send`, on their thread. They are at file scope because a
// closure literal would take on the isolation of the place where it is written. Each turns its context, which was passed without
// being retained, back into the session that owns the connection, and only notes what happened: no code of a user of this module
// runs inside nghttp2, except the pull for content, which must not come back.

/// Made once per process and never freed; immutable from then on. nghttp2 copies it into each session.
nonisolated(unsafe) let http2SessionCallbacks: OpaquePointer = {
  var callbacks: OpaquePointer?
  guard unsafe nghttp2_session_callbacks_new(&callbacks) == 0, let callbacks = unsafe callbacks else {
    preconditionFailure("nghttp2 has no memory for its callbacks")
  }
  unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, headersBegin)
  unsafe nghttp2_session_callbacks_set_on_header_callback2(callbacks, headerCame)
  unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, frameCame)
  unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, dataCame)
  unsafe nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks, invalidFrameCame)
  unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, streamWasClosed)
  unsafe nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, frameWasSent)
  unsafe nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks, frameWasNotSent)
  unsafe nghttp2_session_callbacks_set_send_data_callback(callbacks, dataIsSent)
  unsafe tapeline_nghttp2_callbacks_set_read_length(callbacks, dataLengthIsChosen)
  return unsafe callbacks
}()

private func headersBegin(_: OpaquePointer?, _: UnsafePointer<nghttp2_frame>?, _ context: UnsafeMutableRawPointer?) -> Int32 {
  unsafe withSession(of: context) { $0.headersDidBegin() }
  return 0
}

private func headerCame(
  _: OpaquePointer?, _: UnsafePointer<nghttp2_frame>?, _ name: OpaquePointer?, _ value: OpaquePointer?, _ flags: UInt8,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  let name = unsafe nghttp2_rcbuf_get_buf(name)
  let value = unsafe nghttp2_rcbuf_get_buf(value)
  unsafe withSession(of: context) { session in
    unsafe session.headerDidCome(
      name: UnsafeBufferPointer(start: name.base, count: name.len).span,
      value: UnsafeBufferPointer(start: value.base, count: value.len).span,
      isNeverIndexed: UInt32(flags) & NGHTTP2_NV_FLAG_NO_INDEX.rawValue != 0)
  }
  return 0
}

private func frameCame(
  _: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let frame = unsafe frame else { preconditionFailure("nghttp2 announced a frame without passing it") }
  unsafe withSession(of: context) { unsafe $0.frameDidCome(frame) }
  return 0
}

private func dataCame(
  _: OpaquePointer?, _: UInt8, _ stream: Int32, _ bytes: UnsafePointer<UInt8>?, _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int32 {
  unsafe withSession(of: context) { unsafe $0.dataDidCome(on: stream, UnsafeRawBufferPointer(start: bytes, count: count)) }
  return 0
}

private func invalidFrameCame(
  _: OpaquePointer?, _: UnsafePointer<nghttp2_frame>?, _: Int32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  unsafe withSession(of: context) { $0.note(.invalidFrame) }
  return 0
}

private func streamWasClosed(
  _: OpaquePointer?, _ stream: Int32, _ code: UInt32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  unsafe withSession(of: context) { $0.note(.closed(stream, HTTP2ErrorCode(rawValue: code))) }
  return 0
}

private func frameWasSent(
  _: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let frame = unsafe frame else { preconditionFailure("nghttp2 announced a frame without passing it") }
  unsafe withSession(of: context) { unsafe $0.frameWasSent(frame) }
  return 0
}

private func frameWasNotSent(
  _: OpaquePointer?, _ frame: UnsafePointer<nghttp2_frame>?, _: Int32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let frame = unsafe frame else { preconditionFailure("nghttp2 announced a frame without passing it") }
  unsafe withSession(of: context) { unsafe $0.frameWasNotSent(frame) }
  return 0
}

/// nghttp2 asks for content only to learn its length: `NO_COPY`, so that the bytes are copied once, into the output.
func http2ContentIsWanted(
  _: OpaquePointer?, _ stream: Int32, _: UnsafeMutablePointer<UInt8>?, _ limit: Int, _ flags: UnsafeMutablePointer<UInt32>?,
  _: UnsafeMutablePointer<nghttp2_data_source>?, _ context: UnsafeMutableRawPointer?
) -> Int {
  let answer = unsafe withSession(of: context) { $0.contentIsWanted(on: stream, limit: limit) }
  unsafe flags?.pointee |= answer.flags
  return answer.count
}

private func dataIsSent(
  _: OpaquePointer?, _: UnsafeMutablePointer<nghttp2_frame>?, _ header: UnsafePointer<UInt8>?, _ count: Int,
  _: UnsafeMutablePointer<nghttp2_data_source>?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  unsafe withSession(of: context) { session in
    unsafe session.dataIsSent(UnsafeRawBufferPointer(start: header, count: HTTP2FrameHeader.size), count: count)
  }
  // The frame is done; nghttp2 returns before the next one, so that `send` can look at the limit.
  return NGHTTP2_ERR_PAUSE.rawValue
}

private func dataLengthIsChosen(
  _: OpaquePointer?, _: UInt8, _: Int32, _ sessionWindow: Int32, _ streamWindow: Int32, _ maximumFrameSize: UInt32,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  let room = unsafe withSession(of: context) { $0.outputRoom }
  return max(min(Int(sessionWindow), Int(streamWindow), Int(min(maximumFrameSize, 16_384)), room), 1)
}

/// nghttp2 calls back only inside the session's own `receive` and `send`, whose callers hold it: no reference is counted.
private func withSession<Result>(of context: UnsafeMutableRawPointer?, _ body: (HTTP2Session) -> Result) -> Result {
  guard let context = unsafe context else { preconditionFailure("nghttp2 called back without its context") }
  return unsafe Unmanaged<HTTP2Session>.fromOpaque(context)._withUnsafeGuaranteedRef(body)
}
