import TapelineCore
import TapelineHAR
import TapelineHTTP
import TapelineTime
import Testing

@testable import TapelineRecorder

@Suite("gRPC in the log")
struct EntryWriterGRPCTests {
  private func record(
    trailers: HeaderFields? = nil, fields: [(String, String)] = [("content-type", "application/grpc")],
    _ call: GRPCDetails = GRPCDetails(messages: [], toServer: 0, toClient: 0)
  ) throws -> ExchangeRecord {
    var record = try ExampleExchange.make(responseFields: fields, responseBody: ExampleExchange.body(""))
    record.responseTrailers = trailers
    record.grpc = call
    return record
  }

  private func message(_ direction: MessageDirection, _ size: UInt32, isTrailers: Bool = false)
    -> GRPCDetails.Message
  {
    GRPCDetails.Message(
      instant: ExampleExchange.anchor.instant.advanced(byNanoseconds: 1_500_000), direction: direction, size: size,
      isCompressed: size > 9, isTrailers: isTrailers)
  }

  @Test("Status, counts and messages")
  func call() throws {
    let call = GRPCDetails(
      messages: [message(.toServer, 5), message(.toClient, 10), message(.toClient, 3, isTrailers: true)], toServer: 1,
      toClient: 2_000)
    let (entry, text) = try entry(of: record(trailers: ["grpc-status": "0", "grpc-message": ""], call))
    let grpc = try #require(entry.custom["_grpc"])
    #expect(grpc["status"] == 0)
    #expect(grpc["statusName"] == "OK")
    #expect(grpc["message"] == "")
    #expect([grpc["requestMessages"]?.integer, grpc["responseMessages"]?.integer] == [1, 2_000])
    let time = HARValue.number(try #require(HARNumber(text: "1772600767.124956")))
    #expect(
      grpc["messages"] == [
        ["type": "send", "time": time, "size": 5, "compressed": false],
        ["type": "receive", "time": time, "size": 10, "compressed": true],
        ["type": "receive", "time": time, "size": 3, "compressed": false, "trailers": true],
      ])
    #expect(grpc["note"] == nil)
    #expect(text.contains(#""_trailers":[{"name":"grpc-status","value":"0"}"#))
  }

  @Test("A response of trailers alone has its status in the head; the message is percent-decoded")
  func trailersOnly() throws {
    let (entry, text) = try entry(
      of: record(fields: [
        ("content-type", "application/grpc"), ("Grpc-Status", "5"), ("grpc-message", "caf%C3%A9 100% \u{7F}%0A"),
      ]))
    #expect(entry.custom["_grpc"]?["status"] == 5)
    #expect(entry.custom["_grpc"]?["statusName"] == "NOT_FOUND")
    #expect(entry.custom["_grpc"]?["message"] == "café 100% \u{7F}\n")
    #expect(!text.contains("\n"))
  }

  @Test(
    "A status without a name, one that is not a number, and none",
    arguments: [
      ("99", HARValue?.some(99)), ("x", nil), (nil, nil),
    ])
  func otherStatuses(text: String?, status: HARValue?) throws {
    let (entry, _) = try entry(of: record(trailers: text.map { ["grpc-status": $0] }))
    #expect(entry.custom["_grpc"]?["status"] == status)
    #expect(entry.custom["_grpc"]?["statusName"] == nil)
    #expect(entry.custom["_grpc"]?["requestMessages"] == 0)
  }

  @Test("What could not be followed is said")
  func note() throws {
    let call = GRPCDetails(messages: [], toServer: 0, toClient: 0, note: "the client's last message is incomplete")
    #expect(try entry(of: record(call)).0.custom["_grpc"]?["note"] == "the client's last message is incomplete")
  }

  @Test("A secret in the message is replaced in both places, however it is encoded")
  func redaction() throws {
    let (entry, text) = try entry(
      of: record(trailers: ["grpc-status": "16", "grpc-message": "password%3Dhunter2hunter2%0Aat%20100%25"]), redacts: true)
    #expect(!text.contains("hunter2"))
    let message = try #require(entry.custom["_grpc"]?["message"]?.string)
    #expect(message.hasPrefix("password=SENSITIVE_") && message.hasSuffix("\nat 100%"))
    let trailer = try #require(entry.response.custom["_trailers"]?.array?.last?["value"]?.string)
    #expect(trailer == message.replacing("%", with: "%25").replacing("\n", with: "%0A"))
  }
}
