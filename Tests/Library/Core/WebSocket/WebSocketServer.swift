import TapelineHTTP
import TapelineTestSupport

@testable import TapelineCore

/// The steps of a server that speaks WebSocket byte by byte.
enum WebSocketServer {
  /// Answers the handshake.
  static func accept(_ fields: [String] = []) -> OriginStep {
    .answer { request in
      let key = request.value(of: "Sec-WebSocket-Key") ?? ""
      let lines =
        ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"]
        + ["Sec-WebSocket-Accept: \(WebSocketHandshake.answer(to: key))"] + fields + ["", ""]
      return Array(lines.joined(separator: "\r\n").utf8)
    }
  }

  static func frame(_ opcode: WebSocketFrame.Opcode, _ payload: [UInt8], isCompressed: Bool = false) -> [UInt8] {
    var bytes: [UInt8] = []
    WebSocketFrame.append(opcode, payload.span, to: &bytes, isCompressed: isCompressed)
    return bytes
  }

  static func text(_ text: String) -> OriginStep { .send(frame(.text, Array(text.utf8))) }

  static func close(_ code: UInt16, _ reason: String = "") -> OriginStep {
    .send(frame(.close, [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8)))
  }
}

/// What a client has sent, unmasked.
enum ClientFrames {
  /// The opcode and the payload of each whole frame.
  static func read(_ bytes: [UInt8]) throws -> [(opcode: WebSocketFrame.Opcode, payload: [UInt8], frame: WebSocketFrame)] {
    var parser = WebSocketFrameParser()
    var frames: [(opcode: WebSocketFrame.Opcode, payload: [UInt8], frame: WebSocketFrame)] = []
    var payload: [UInt8] = []
    var head: WebSocketFrame?
    var offset = 0
    while let element = try parser.next(bytes.span, from: &offset) {
      switch element {
      case .head(let frame):
        head = frame
        payload = []
      case .payload(let range):
        for index in range {
          payload.append(bytes[index] ^ (head?.mask?[UInt64(payload.count)] ?? 0))
        }
      case .end:
        if let head { frames.append((head.opcode, payload, head)) }
      }
    }
    return frames
  }
}
