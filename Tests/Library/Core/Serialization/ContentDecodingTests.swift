import FoundationEssentials
import TapelineHTTP
import TapelineTestSupport
import TapelineTime
import Testing

@testable import TapelineCore
@testable import TapelineTransport

/// Bodies that are kept are handed out decoded where the library asked for content codings.
@Suite struct ContentDecodingTests {
  private let harness: CoreHarness

  init() throws {
    harness = try CoreHarness()
  }

  /// Answers the first task with a body in some coding.
  private func answer(_ coding: String, _ bytes: [UInt8]) throws {
    try harness.head(200, ["Content-Encoding": coding, "Content-Type": "text/plain; charset=utf-8"])
    let task = try harness.task()
    _ = try harness.onLoop { _ in task.didReceive(bytes.span, at: .now) }
    try harness.complete()
  }

  private func response(
    headers: HTTPHeaders = [:], coding: String, _ bytes: [UInt8]
  ) throws -> (sent: HTTPHeaders, response: DataResponse<Data>) {
    let awaited = Awaited<DataResponse<Data>>()
    harness.session.request(CoreHarness.url, headers: headers).responseData { awaited.take($0) }
    let sent = HTTPHeaders(try #require(try harness.task().requestHead).fields)
    try answer(coding, bytes)
    return (sent, try awaited.wait())
  }

  @Test(
    "Data requests ask for br, gzip and deflate, and undo them",
    arguments: [
      ("gzip", CodedText.gzip), ("x-gzip", CodedText.gzip), ("deflate", CodedText.zlib), ("br", CodedText.brotli),
      ("zstd", CodedText.zstandard), ("gzip, br", CodedText.gzipAndBrotli), ("identity", Array(CodedText.text.utf8)),
      ("utf-8", Array(CodedText.text.utf8)),
    ])
  func decoding(coding: String, bytes: [UInt8]) throws {
    let (sent, response) = try response(coding: coding, bytes)
    #expect(sent["Accept-Encoding"] == "br;q=1.0, gzip;q=0.9, deflate;q=0.8")
    #expect(response.value.map { String(decoding: $0, as: UTF8.self) } == CodedText.text)
    #expect(response.data == response.value)
    #expect(response.response?.headers["Content-Encoding"] == coding)
  }

  @Test("A request that asks for codings or a range gets the body as received", arguments: ["Accept-Encoding", "Range"])
  func rawBodies(field: String) throws {
    let (sent, response) = try response(headers: [field: "bytes=0-"], coding: "gzip", CodedText.gzip)
    #expect(sent.values(for: "Accept-Encoding") == (field == "Range" ? [] : ["bytes=0-"]))
    #expect(response.value == Data(CodedText.gzip))
  }

  @Test(
    "A body that does not match its coding is an error, and there is no data",
    arguments: [
      ("gzip", Array("plain".utf8)), ("gzip", Array(CodedText.gzip.dropLast(9))), ("br", [0xFF]),
    ] as [(String, [UInt8])])
  func damage(coding: String, bytes: [UInt8]) throws {
    let (_, response) = try response(coding: coding, bytes)
    guard case .responseSerializationFailed(.inputDataDecodingFailed) = response.error else {
      Issue.record("\(response)")
      return
    }
    #expect(response.data == nil)
  }

  @Test("Validation sees the decoded body")
  func validation() throws {
    let seen = Awaited<Data?>()
    let done = Awaited<DefaultDataResponse>()
    harness.session.request(CoreHarness.url)
      .validate { _, _, data in
        seen.take(data)
        return .success(())
      }
      .response { done.take($0) }
    try answer("gzip", CodedText.gzip)
    #expect(try seen.wait() == Data(CodedText.text.utf8))
    #expect(try done.wait().data == Data(CodedText.text.utf8))
  }

  @Test("Pieces for a closure arrive as received, and no coding is requested")
  func passedOn() throws {
    let pieces = Awaited<Data>()
    let request = harness.session.request(CoreHarness.url, shouldAutomaticallyResume: false)
    let delegate = try #require(request.delegate as? DataTaskDelegate)
    delegate.dataStream = { pieces.take($0) }
    request.resume()
    #expect(try harness.task().requestHead?.fields.contains(.acceptEncoding) == false)
    try answer("gzip", CodedText.gzip)
    #expect(try pieces.wait() == Data(CodedText.gzip))
  }

  @Test("A response without a body needs no decoding")
  func withoutBody() throws {
    let awaited = Awaited<DataResponse<Data>>()
    harness.session.request(CoreHarness.url, method: .head).responseData { awaited.take($0) }
    try harness.head(200, ["Content-Encoding": "gzip"])
    try harness.complete()
    #expect(try awaited.wait().value == Data())
  }
}
