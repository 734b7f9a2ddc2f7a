import TapelineCore
import TapelineHTTP
import TapelineTime
import Testing

@testable import TapelineProxy

@Suite("Observed calls")
struct ObservedCallTests {
  @Test("All messages are counted, the first thousand are listed, the others timed")
  func bound() throws {
    let call = try #require(ObservedCall(["Content-Type": "application/grpc"]))
    let message: [UInt8] = [0, 0, 0, 0, 0]
    for _ in 0..<ObservedCall.messageLimit + 5 { call.noteToClient(message.span, at: .now) }
    call.noteToServer(message.span, at: .now)
    let details = call.details(hasEnded: true)
    #expect(details.messages.count == 1_000 && details.others.count == 6)
    #expect([details.toServer, details.toClient] == [1, 1_005])
    #expect(details.note == nil)
  }

  @Test("Both directions can break, and each is named")
  func notes() throws {
    let call = try #require(ObservedCall(["Content-Type": "application/grpc-web"]))
    call.noteToServer([9, 0, 0, 0, 0].span, at: .now)
    call.noteToClient([0, 255, 255, 255, 255].span, at: .now)
    #expect(
      call.details(hasEnded: false).note
        == "the client's bytes are not gRPC messages: a prefix begins with 9; "
        + "the server's bytes are not gRPC messages: a prefix names 4294967295 bytes")
  }
}
