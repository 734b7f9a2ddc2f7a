import TapelineCore
import TapelineHAR
import TapelineHTTP
import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineRecorder

struct MessagesTests {
  private func message(
    _ bytes: [UInt8], _ direction: MessageDirection = .toClient, opcode: UInt8 = 1, isCompressed: Bool = false,
    size: UInt64? = nil
  ) -> WebSocketMessage {
    WebSocketMessage(
      instant: ExampleExchange.anchor.instant.advanced(byNanoseconds: 1_500_000), direction: direction, opcode: opcode,
      isCompressed: isCompressed, bytes: bytes, size: size ?? UInt64(bytes.count))
  }

  private func messages(
    _ messages: [WebSocketMessage], extensions: String? = nil, count: UInt64? = nil
  ) throws -> (messages: [HARValue], entry: HAREntry) {
    var record = try ExampleExchange.make(
      responseFields: [("Upgrade", "websocket")] + (extensions.map { [("Sec-WebSocket-Extensions", $0)] } ?? []),
      responseBody: ExampleExchange.body(""))
    record.webSocketMessages = messages
    record.webSocketMessageCount = count ?? UInt64(messages.count)
    let entry = try entry(of: record, redacts: true).0
    return (try #require(entry.custom["_webSocketMessages"]?.array), entry)
  }

  @Test func inChromesForm() throws {
    let (found, entry) = try messages([
      message(Array("héllo".utf8), .toServer), message([0, 255], opcode: 2), message([3, 232], opcode: 8),
    ])
    let time = HARValue.number(try #require(HARNumber(text: "1772600767.124956")))
    #expect(
      found == [
        ["type": "send", "time": time, "opcode": 1, "data": "héllo"],
        ["type": "receive", "time": time, "opcode": 2, "data": "AP8="],
        ["type": "receive", "time": time, "opcode": 8, "data": "A+g="],
      ])
    #expect(entry.custom["_resourceType"] == "websocket")
    #expect(entry.custom["_webSocketMessagesDropped"] == nil)
  }

  @Test func theWindowGoesOn() throws {
    let compressed = CodedText.messages.map { message($0, isCompressed: true) }
    let found = try messages(compressed, extensions: "permessage-deflate; client_max_window_bits=15").messages
    #expect(found[0]["data"] == "Hello")
    #expect(found[1]["data"] == "Hello")
    let secret = try #require(found[2]["data"]?.string)
    #expect(secret.hasPrefix("{\"token\":\"SENSITIVE_"))
  }

  @Test func directionsHaveWindowsOfTheirOwn() throws {
    let found = try messages(
      [
        message(CodedText.messages[0], .toServer, isCompressed: true), message(CodedText.messages[0], isCompressed: true),
        message(CodedText.messages[1], .toServer, isCompressed: true),
      ], extensions: "permessage-deflate"
    ).messages
    #expect(found.map { $0["data"] } == ["Hello", "Hello", "Hello"])
  }

  @Test func whatRefersToSomethingLostIsGivenAsItCame() throws {
    let cut = message(Array(CodedText.messages[0].prefix(3)), isCompressed: true, size: 7)
    let later = message(CodedText.messages[1], isCompressed: true)
    let found = try messages([cut, later], extensions: "permessage-deflate").messages
    #expect(found[0]["_truncated"] == true)
    #expect(found[0]["_size"] == 7)
    #expect(found[1]["_compressed"] == true)
    #expect(found[1]["data"] == "8gARAAA=")
    #expect(found[1]["_encoding"] == "base64")
    let first = message(CodedText.messages[0], isCompressed: true)
    let forgetful = try messages([cut, first], extensions: "permessage-deflate; server_no_context_takeover").messages
    #expect(forgetful[1]["data"] == "Hello")
  }

  @Test func withoutAgreementNothingIsInflated() throws {
    let found = try messages([message(CodedText.messages[0], isCompressed: true)]).messages
    #expect(found[0]["_compressed"] == true)
  }

  @Test func whatIsNotThereIsCounted() throws {
    let (found, entry) = try messages([message(Array("aé".utf8.dropLast()), size: 9)], count: 5)
    #expect(found[0]["data"] == "a")
    #expect(found[0]["_truncated"] == true)
    #expect(entry.custom["_webSocketMessagesDropped"] == 4)
  }

  @Test func textThatIsNoneIsInBase64() throws {
    let found = try messages([message([0xFF])]).messages
    #expect(found[0]["data"] == "/w==")
    #expect(found[0]["_encoding"] == "base64")
  }
}
