internal import TapelineCoding
internal import TapelineHAR

extension EntryWriter {
  /// Which name `encoding` has: HAR defines the member in `content` but not in `postData`.
  enum EncodingMember {
    case content
    case postData
  }

  /// Appends `,"text":…` with its encoding, or `,"_file":…`, and the members that describe the body.
  mutating func appendText(of body: RecordedBody, in member: EncodingMember, to writer: inout JSONWriter) {
    if bodies != nil, !body.bytes.isEmpty {
      appendFile(of: body, in: member, to: &writer)
    } else if !body.bytes.isEmpty || member == .postData {
      writer.append(json: #","text":"#)
      if body.isText {
        writer.append(text: body.bytes.span)
      } else {
        writer.append(base64: body.bytes.span)
        switch member {
        case .content: writer.append(json: #","encoding":"base64""#)
        case .postData: writer.append(json: #","_encoding":"base64""#)
        }
      }
    }
    if body.missing > 0 { appendMissing(body.missing, to: &writer) }
    if let error = body.error {
      writer.append(json: #","_decodeError":"#)
      writer.append(string: error.text)
    }
    if !body.isSizeKnown { writer.append(json: #","_decodeTruncated":true"#) }
  }

  /// Puts the body into a file of its own. Readers require `postData.text` all the same.
  private mutating func appendFile(of body: RecordedBody, in member: EncodingMember, to writer: inout JSONWriter) {
    if member == .postData { writer.append(json: #","text":"""#) }
    do throws(RecorderError) {
      guard let path = try bodies?.store(body.bytes.span) else { return }
      writer.append(json: #","_file":"#)
      writer.append(string: path)
    } catch {
      bodyError = error
      // If bytes are missing anyway, `appendText` writes `_truncated`.
      if body.missing == 0 { appendMissing(UInt64(body.bytes.count), to: &writer) }
    }
  }

  private func appendMissing(_ count: UInt64, to writer: inout JSONWriter) {
    writer.append(json: #","_truncated":"#)
    writer.append(integer: count)
  }
}
