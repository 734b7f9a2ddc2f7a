internal import CNghttp2
internal import TapelineBase

/// Something that nghttp2 has told us. `HTTP2Connection` gives it its meaning.
enum HTTP2Signal {
  /// `overhead` are the bytes of the block's frames that are padding or a priority.
  case headers(HTTP2StreamID, HTTP2HeaderList, HTTP2Violation.Excess?, endsStream: Bool, overhead: Int)
  /// A range of the bytes that were passed to `receive`.
  case data(HTTP2StreamID, Range<Int>)
  /// A DATA frame of nothing but padding, which does not end its stream.
  case paddingAlone
  /// A DATA frame that ends its stream.
  case dataEnd(HTTP2StreamID)
  case reset(HTTP2StreamID, HTTP2ErrorCode)
  case settings
  case settingsAcknowledged
  case pong(UInt64)
  case goAway(last: HTTP2StreamID, HTTP2ErrorCode)
  case priority(HTTP2StreamID, String)
  /// nghttp2 has ignored or refused a frame, and answers it by a reset or by GOAWAY.
  case invalidFrame
  case closed(HTTP2StreamID, HTTP2ErrorCode)
  case headersSent(HTTP2StreamID, wireSize: Int, endsStream: Bool)
  case dataSent(HTTP2StreamID, endsStream: Bool)
  case resetSent(HTTP2StreamID, HTTP2ErrorCode)
  case goAwaySent(HTTP2ErrorCode)
  case requestNotSent(HTTP2StreamID)
}

/// Owns one `nghttp2_session`: frames, compression, states of streams, and flow control. No sockets and no clock.
///
/// Ownership: nghttp2 holds this object as its context without retaining it. This object frees the session in `deinit`, and
/// nghttp2 calls back only inside `receive` and `send`, so no callback outlives it. nghttp2 copies all header lines that we
/// submit.
///
/// nghttp2 does not check messages (`no_http_messaging`): it would drop an invalid line without a word and refuse a message
/// without a reason. `HTTP2FieldRules` and `HTTP2Stream` check them all.
@safe
final class HTTP2Session {
  private let session: OpaquePointer
  private let limits: HTTP2Limits
  private var signals: [HTTP2Signal] = []
  private var isBusy = false

  // While receiving.
  private var inputStart: UnsafeRawPointer?
  private var list = HTTP2HeaderList.Builder()
  private var excess: HTTP2Violation.Excess?

  // While sending.
  private var output: [UInt8] = []
  private var outputStart = 0
  private var outputLimit = 0
  private var pull: ((HTTP2StreamID, Int) -> HTTP2Content)?
  /// Content that nghttp2 knows the length of, and has not framed yet.
  private var piece: [UInt8] = []
  private var madeFrame = false
  /// Bytes of the header block that is being sent, and the signal that waits for its last frame.
  private var blockSize = 0
  private var headersSignal: Int?

  init(_ role: HTTP2Role, limits: HTTP2Limits) {
    self.limits = limits
    var option: OpaquePointer?
    guard unsafe nghttp2_option_new(&option) == 0, let option = unsafe option else {
      preconditionFailure("nghttp2 has no memory for its options")
    }
    defer { unsafe nghttp2_option_del(option) }
    unsafe nghttp2_option_set_no_auto_window_update(option, 1)
    unsafe nghttp2_option_set_no_http_messaging(option, 1)
    unsafe nghttp2_option_set_max_deflate_dynamic_table_size(option, limits.headerTable)
    // Twice the list that we accept: a list can grow on its way (`via`).
    unsafe nghttp2_option_set_max_send_header_block_length(option, limits.headerList * 2)
    unsafe tapeline_nghttp2_option_leave_floods_to_us(option, limits.continuations + 1)

    var session: OpaquePointer?
    let status: Int32
    switch role {
    case .server:
      unsafe nghttp2_option_set_builtin_recv_extension_type(option, HTTP2FrameHeader.priorityUpdate)
      status = unsafe nghttp2_session_server_new2(&session, http2SessionCallbacks, nil, option)
    case .client:
      status = unsafe nghttp2_session_client_new2(&session, http2SessionCallbacks, nil, option)
    }
    guard status == 0, let session = unsafe session else { preconditionFailure("nghttp2 has no memory for a session") }
    unsafe self.session = unsafe session
    unsafe nghttp2_session_set_user_data(session, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    unsafe nghttp2_session_del(session)
  }

  // MARK: Receiving

  /// Moves what happened since the last call to `taken`, which is empty, and takes its storage in return.
  func takeSignals(into taken: inout [HTTP2Signal]) {
    swap(&signals, &taken)
  }

  /// Passes on at most one frame, or a part of one. Returns the violation after which nghttp2 cannot go on, and for which it has
  /// no GOAWAY of its own: another protocol's first bytes, or a flood by its own definition.
  func receive(_ bytes: Span<UInt8>) -> HTTP2Violation? {
    precondition(!isBusy, "a session is not entered from its own callbacks")
    isBusy = true
    defer { isBusy = false }
    let status = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe inputStart = UnsafeRawPointer(bytes.baseAddress)
      defer { unsafe inputStart = nil }
      return unsafe tapeline_nghttp2_receive(session, bytes.baseAddress, bytes.count)
    }
    if status >= 0 { return nil }
    return switch Int32(truncatingIfNeeded: status) {
    case NGHTTP2_ERR_FLOODED.rawValue: .flood(.queuedFrames)
    default: .connectionError(.protocolError)
    }
  }

  // MARK: Sending

  /// Bytes of content that fit into the next frame.
  var outputRoom: Int { outputLimit - output.count - HTTP2FrameHeader.size }

  /// Appends frames until `limit` bytes are there, or all frames that may go. A frame that is not content is never cut, so the
  /// last may exceed the limit. Returns whether nghttp2 can go on.
  ///
  /// `pull` is kept for the length of the call. It escapes by its type alone: `withoutActuallyEscaping` would put the length of
  /// this file's path into the program, and two builds in different directories would differ.
  func send(into output: inout [UInt8], limit: Int, pull: @escaping (HTTP2StreamID, Int) -> HTTP2Content) -> Bool {
    precondition(!isBusy, "a session is not entered from its own callbacks")
    isBusy = true
    defer { isBusy = false }
    swap(&self.output, &output)
    defer { swap(&self.output, &output) }
    outputStart = self.output.count
    outputLimit = outputStart + limit
    self.pull = pull
    defer { self.pull = nil }
    while self.output.count < outputLimit {
      madeFrame = false
      var bytes: UnsafePointer<UInt8>?
      let count = unsafe tapeline_nghttp2_send(session, &bytes)
      if count < 0 { return false }
      if count > 0 {
        append(unsafe UnsafeBufferPointer(start: bytes, count: count).span)
      } else if !madeFrame {
        break
      }
    }
    return true
  }

  /// One frame, or the 24 bytes of the client's preface.
  private func append(_ frame: Span<UInt8>) {
    output.append(bytes: frame)
    guard frame.count >= HTTP2FrameHeader.size else { return }
    let header = HTTP2FrameHeader(frame)
    switch header.type {
    case HTTP2FrameHeader.headers: blockSize = header.length
    case HTTP2FrameHeader.continuation: blockSize += header.length
    default: break
    }
    // nghttp2 tells that a frame is sent just before it returns its bytes.
    if let index = headersSignal, case .headersSent(let stream, _, let endsStream) = signals[index] {
      signals[index] = .headersSent(stream, wireSize: blockSize, endsStream: endsStream)
      headersSignal = nil
    }
  }

  // MARK: Commands

  /// The number of the new stream; `nil` if the connection takes no request.
  func submitRequest(_ list: HTTP2HeaderList, hasContent: Bool) -> HTTP2StreamID? {
    let stream = unsafe withLines(of: list) { lines, count in
      unsafe tapeline_nghttp2_submit_request(session, lines, count, hasContent ? http2ContentIsWanted : nil)
    }
    return stream > 0 ? stream : nil
  }

  func submitInterim(_ list: HTTP2HeaderList, on stream: HTTP2StreamID) -> Bool {
    unsafe withLines(of: list) { lines, count in
      unsafe nghttp2_submit_headers(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, nil, lines, count, nil)
    } == 0
  }

  func submitResponse(_ list: HTTP2HeaderList, on stream: HTTP2StreamID, hasContent: Bool) -> Bool {
    unsafe withLines(of: list) { lines, count in
      unsafe tapeline_nghttp2_submit_response(session, stream, lines, count, hasContent ? http2ContentIsWanted : nil)
    } == 0
  }

  private func submitTrailers(_ list: HTTP2HeaderList, on stream: HTTP2StreamID) -> Bool {
    unsafe withLines(of: list) { lines, count in unsafe nghttp2_submit_trailer(session, stream, lines, count) } == 0
  }

  private func withLines(of list: HTTP2HeaderList, _ body: (UnsafePointer<nghttp2_nv>?, Int) -> Int32) -> Int32 {
    unsafe list.bytes.withUnsafeBufferPointer { bytes in
      // nghttp2 only reads the lines, but its struct has no `const`.
      let start = unsafe UnsafeMutablePointer(mutating: bytes.baseAddress)
      return unsafe withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: list.count) { lines in
        for (index, line) in list.lines.enumerated() {
          unsafe lines.initializeElement(
            at: index,
            to: nghttp2_nv(
              name: start.map { unsafe $0 + line.name.lowerBound }, value: start.map { unsafe $0 + line.value.lowerBound },
              namelen: line.name.count, valuelen: line.value.count,
              flags: UInt8((line.isNeverIndexed ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE).rawValue)))
        }
        return unsafe body(lines.baseAddress, list.count)
      }
    }
  }

  func resume(_ stream: HTTP2StreamID) {
    unsafe nghttp2_session_resume_data(session, stream)
  }

  func submitReset(_ stream: HTTP2StreamID, _ code: HTTP2ErrorCode) {
    unsafe nghttp2_submit_rst_stream(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, code.rawValue)
  }

  func submitSettings(_ settings: [(nghttp2_settings_id, Int)]) {
    let entries = settings.map { nghttp2_settings_entry(settings_id: Int32($0.0.rawValue), value: UInt32($0.1)) }
    let status = unsafe nghttp2_submit_settings(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count)
    precondition(status == 0, "nghttp2 refused settings within their bounds")
  }

  /// The settings of `role`, and the connection's window, which no setting sets.
  func submitFirstSettings(_ role: HTTP2Role, offersExtendedConnect: Bool) {
    var settings = [
      (NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, limits.headerTable), (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, limits.streamWindow),
      (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limits.headerList), (NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1),
    ]
    switch role {
    case .server:
      settings.append((NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.concurrentStreams))
      if offersExtendedConnect { settings.append((NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL, 1)) }
    case .client:
      settings.append((NGHTTP2_SETTINGS_ENABLE_PUSH, 0))
    }
    submitSettings(settings)
    let status = unsafe nghttp2_session_set_local_window_size(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, Int32(limits.connectionWindow))
    precondition(status == 0, "nghttp2 refused a window within its bounds")
  }

  func offerExtendedConnect() {
    submitSettings([(NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL, 1)])
  }

  func submitPing(_ payload: UInt64) {
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: payload >> UInt64(56 - 8 * $0)) }
    unsafe nghttp2_submit_ping(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), bytes)
  }

  /// A client's PRIORITY_UPDATE (RFC 9218 7.1), if the server has disabled the older priorities; otherwise nothing.
  func submitPriorityUpdate(_ stream: HTTP2StreamID, fieldValue: String) {
    let bytes = Array(fieldValue.utf8)
    unsafe nghttp2_submit_priority_update(session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream, bytes, bytes.count)
  }

  /// Orders a server's responses.
  func setPriority(_ priority: HTTP2Priority, of stream: HTTP2StreamID) {
    var value = nghttp2_extpri(urgency: UInt32(priority.urgency), inc: priority.isIncremental ? 1 : 0)
    unsafe nghttp2_session_change_extpri_stream_priority(session, stream, &value, 0)
  }

  func submitShutdownNotice() {
    unsafe nghttp2_submit_shutdown_notice(session)
  }

  /// GOAWAY with the last stream that we have seen.
  func submitGoAway(_ code: HTTP2ErrorCode) {
    unsafe nghttp2_submit_goaway(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), nghttp2_session_get_last_proc_stream_id(session), code.rawValue, nil, 0)
  }

  /// GOAWAY, and nothing after it.
  func terminate(_ code: HTTP2ErrorCode) {
    unsafe nghttp2_session_terminate_session(session, code.rawValue)
  }

  /// Returns bytes of a stream's content to its window and to the connection's.
  func consume(_ count: Int, on stream: HTTP2StreamID) {
    unsafe nghttp2_session_consume(session, stream, count)
  }

  /// The same for content of a stream that is over.
  func consumeOnConnection(_ count: Int) {
    unsafe nghttp2_session_consume_connection(session, count)
  }

  /// Opens the connection's window by a byte that has come and was consumed.
  func returnByte() {
    unsafe nghttp2_submit_window_update(session, 0, 0, 1)
  }

  // MARK: Questions

  var wantsOutput: Bool { unsafe nghttp2_session_want_write(session) != 0 }

  var wantsInput: Bool { unsafe nghttp2_session_want_read(session) != 0 }

  var mayRequest: Bool { unsafe nghttp2_session_check_request_allowed(session) != 0 }

  /// Frames that wait to be sent, not counting content.
  var queuedFrames: Int { unsafe nghttp2_session_get_outbound_queue_size(session) }

  /// Bytes of content that we may send on a stream; 0 without such a stream, and after the peer has made windows smaller than
  /// what we have sent (RFC 9113 6.9.2).
  func sendWindow(of stream: HTTP2StreamID) -> Int {
    unsafe max(Int(nghttp2_session_get_stream_remote_window_size(session, stream)), 0)
  }

  var connectionSendWindow: Int { unsafe Int(nghttp2_session_get_remote_window_size(session)) }

  /// Bytes of content that the peer may still send on all streams.
  var connectionReceiveWindow: Int { unsafe Int(nghttp2_session_get_local_window_size(session)) }

  /// Bytes that have come and were not returned by WINDOW_UPDATE yet.
  var connectionReceivedBytes: Int { unsafe Int(nghttp2_session_get_effective_recv_data_length(session)) }

  var peerSettings: HTTP2PeerSettings {
    HTTP2PeerSettings(
      maxConcurrentStreams: peerStreamLimit,
      initialWindowSize: peerSetting(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE),
      maxFrameSize: peerSetting(NGHTTP2_SETTINGS_MAX_FRAME_SIZE),
      maxHeaderListSize: peerSetting(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE),
      offersExtendedConnect: peerSetting(NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL) == 1)
  }

  var peerStreamLimit: UInt32 { peerSetting(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS) }

  private func peerSetting(_ id: nghttp2_settings_id) -> UInt32 {
    unsafe nghttp2_session_get_remote_settings(session, id)
  }
}

// MARK: - Called by nghttp2

extension HTTP2Session {
  func note(_ signal: HTTP2Signal) {
    signals.append(signal)
  }

  func headersDidBegin() {
    _ = list.take()
    excess = nil
  }

  /// Beyond a limit, lines are decompressed and dropped: the tables of both sides must stay the same.
  func headerDidCome(name: Span<UInt8>, value: Span<UInt8>, isNeverIndexed: Bool) {
    guard excess == nil else { return }
    if list.lineCount >= limits.headerLines {
      excess = .headerLines
    } else if list.size + name.count + value.count + 32 > limits.headerList {
      excess = .headerList
    } else {
      list.append(name: name, value: value, isNeverIndexed: isNeverIndexed)
    }
  }

  func frameDidCome(_ frame: UnsafePointer<nghttp2_frame>) {
    let header = unsafe frame.pointee.hd
    let stream = header.stream_id
    let endsStream = header.flags & HTTP2FrameHeader.endStreamFlag != 0
    switch header.type {
    case HTTP2FrameHeader.headers:
      let prioritySize = UInt32(header.flags) & NGHTTP2_FLAG_PRIORITY.rawValue == 0 ? 0 : 5
      let overhead = unsafe frame.pointee.headers.padlen + prioritySize
      note(.headers(stream, list.take(), excess, endsStream: endsStream, overhead: overhead))
    case HTTP2FrameHeader.data:
      if endsStream {
        note(.dataEnd(stream))
      } else if header.length > 0, unsafe header.length == frame.pointee.data.padlen {
        note(.paddingAlone)
      }
    case HTTP2FrameHeader.resetStream:
      note(.reset(stream, HTTP2ErrorCode(rawValue: unsafe frame.pointee.rst_stream.error_code)))
    case HTTP2FrameHeader.settings:
      note(header.flags & HTTP2FrameHeader.acknowledgementFlag == 0 ? .settings : .settingsAcknowledged)
    case HTTP2FrameHeader.ping:
      guard header.flags & HTTP2FrameHeader.acknowledgementFlag != 0 else { return }
      let payload = unsafe withUnsafeBytes(of: frame.pointee.ping.opaque_data) { bytes in
        unsafe bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      }
      note(.pong(payload))
    case HTTP2FrameHeader.goAway:
      let goAway = unsafe frame.pointee.goaway
      unsafe note(.goAway(last: goAway.last_stream_id, HTTP2ErrorCode(rawValue: goAway.error_code)))
    case HTTP2FrameHeader.priorityUpdate:
      guard let update = unsafe tapeline_nghttp2_priority_update(frame)?.pointee else { return }
      let value = unsafe UnsafeBufferPointer(start: update.field_value, count: update.field_value_len)
      note(.priority(unsafe update.stream_id, unsafe String(decoding: value, as: UTF8.self)))
    default:
      break
    }
  }

  func dataDidCome(on stream: HTTP2StreamID, _ bytes: UnsafeRawBufferPointer) {
    guard let inputStart = unsafe inputStart, let start = bytes.baseAddress else { return }
    let offset = unsafe start - inputStart
    note(.data(stream, offset..<offset + bytes.count))
  }

  func frameWasSent(_ frame: UnsafePointer<nghttp2_frame>) {
    let header = unsafe frame.pointee.hd
    let endsStream = header.flags & HTTP2FrameHeader.endStreamFlag != 0
    switch header.type {
    case HTTP2FrameHeader.headers:
      headersSignal = signals.count
      note(.headersSent(header.stream_id, wireSize: 0, endsStream: endsStream))
    case HTTP2FrameHeader.data: note(.dataSent(header.stream_id, endsStream: endsStream))
    case HTTP2FrameHeader.resetStream:
      note(.resetSent(header.stream_id, HTTP2ErrorCode(rawValue: unsafe frame.pointee.rst_stream.error_code)))
    case HTTP2FrameHeader.goAway: note(.goAwaySent(HTTP2ErrorCode(rawValue: unsafe frame.pointee.goaway.error_code)))
    default: break
    }
  }

  func frameWasNotSent(_ frame: UnsafePointer<nghttp2_frame>) {
    guard unsafe frame.pointee.hd.type == HTTP2FrameHeader.headers,
      unsafe frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST
    else { return }
    note(.requestNotSent(unsafe frame.pointee.hd.stream_id))
  }

  /// Asks the owner for content of a stream. Its bytes go into the output when nghttp2 has made their frame header.
  func contentIsWanted(on stream: HTTP2StreamID, limit: Int) -> (count: Int, flags: UInt32) {
    // Rather stop than make a tiny frame after others.
    guard outputRoom > 0, outputRoom >= 512 || output.count == outputStart else { return (Int(NGHTTP2_ERR_PAUSE.rawValue), 0) }
    guard let pull else { preconditionFailure("nghttp2 asks for content only inside `send`") }
    let eof = NGHTTP2_DATA_FLAG_EOF.rawValue
    switch pull(stream, limit) {
    case .bytes(let bytes, let isLast):
      precondition(!bytes.isEmpty && bytes.count <= limit, "content is 1 to as many bytes as were asked for")
      piece = bytes
      return (bytes.count, NGHTTP2_DATA_FLAG_NO_COPY.rawValue | (isLast ? eof : 0))
    case .later:
      return (Int(NGHTTP2_ERR_DEFERRED.rawValue), 0)
    case .end:
      return (0, eof)
    case .trailers(let list):
      guard list.count > 0, submitTrailers(list, on: stream) else { return (0, eof) }
      return (0, eof | NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue)
    }
  }

  func dataIsSent(_ header: UnsafeRawBufferPointer, count: Int) {
    precondition(piece.count == count, "nghttp2 frames all bytes that it was told of")
    unsafe output.append(contentsOf: header)
    output.append(contentsOf: piece)
    piece = []
    madeFrame = true
  }
}
