import FoundationEssentials
import Glibc
import Synchronization
import TapelineCore
import TapelineHAR
import TapelineTestSupport
import Testing

@testable import TapelineRecorder

@Suite("A session records its own exchanges")
struct SessionRecorderTests {
  private let directory: TemporaryDirectory
  private let recorder: SessionRecorder
  private let session: Session

  init() throws {
    directory = try TemporaryDirectory()
    recorder = try SessionRecorder(path: directory.path("tests.har"))
    var configuration = SessionConfiguration()
    configuration.connectTimeout = 3_600
    configuration.responseTimeout = 3_600
    configuration.idleTimeout = 3_600
    configuration.recorder = recorder
    session = Session(configuration: configuration)
  }

  /// The entries of the closed log, which every reader accepts.
  private func entries() throws -> [HAREntry] {
    try recorder.finish()
    let text = try readFile(directory.path("tests.har"))
    #expect(try Self.findings(text) == [])
    return try HARLog(json: text).entries
  }

  private static func findings(_ text: [UInt8]) throws -> [String] {
    var lint = HARLint()
    var findings: [String] = []
    try lint.feed(text.span) { findings.append("\($0.path): \($0.message)") }
    try lint.finish { findings.append("\($0.path): \($0.message)") }
    return findings
  }

  private static func events(_ entry: HAREntry) throws -> [String: Int] {
    let members = try #require(entry.custom["_events"]?.object?.members)
    return Dictionary(members.compactMap { member in member.value.integer.map { (member.name, $0) } }) { first, _ in first }
  }

  @Test("A request and its response, as they went over the wire")
  func plain() async throws {
    let origin = try ScriptedOrigin(patience: 600, [.expectRequest, .respond(fields: ["X-Side: A"], body: "hello"), .expectEnd])
    let response = await session.request(origin.url("/tape?n=1"), headers: ["X-Own": "1"]).serializingString().response
    #expect(response.value == "hello")
    let entry = try #require(try entries().first)
    #expect(entry.request.url == origin.url("/tape?n=1"))
    #expect(entry.request.headers.first?.name == "Host")
    #expect(entry.request.headers.contains { $0.name == "X-Own" && $0.value == "1" })
    #expect(entry.response.status == 200)
    #expect(entry.response.headers.contains { $0.name == "X-Side" })
    #expect(entry.response.content.text == "hello")
    #expect(entry.custom["_clientAddress"] == nil)
    #expect(entry.custom["_door"]?.object?["kind"]?.string == "library")
    #expect(entry.custom["_changes"] == nil)
    let events = try Self.events(entry)
    let order = [
      "requestFirstByte", "queued", "connectStart", "connectEnd", "sentFirst", "responseFirstByte", "responseLastByte",
      "deliveredFirst", "deliveredLast",
    ].compactMap { events[$0] }
    #expect(order.count == 9)
    #expect(order == order.sorted())
  }

  @Test("An upload in chunks, with what was sent")
  func upload() async throws {
    let origin = try ScriptedOrigin(patience: 600, [.expectRequest, .respond("201 Created"), .expectEnd])
    let stream = UploadStream {
      let position = Protected(0)
      return { _ in
        position.write { position in
          position += 1
          return position > 3 ? [] : Array("piece \(position);".utf8)
        }
      }
    }
    let response = await session.upload(stream, to: origin.url()).serializingData().response
    #expect(response.response?.statusCode == 201)
    let entry = try #require(try entries().first)
    #expect(entry.request.method == "POST")
    #expect(entry.request.postData?.text == "piece 1;piece 2;piece 3;")
    #expect(entry.request.bodySize == 24)
  }

  @Test("A redirection and its destination are two entries")
  func redirection() async throws {
    let origin = try ScriptedOrigin(
      patience: 600,
      [
        .expectRequest, .respond("302 Found", fields: ["Location: /there", "Set-Cookie: a=b"], body: "moved"), .expectRequest,
        .respond(body: "there"), .expectEnd,
      ])
    let response = await session.request(origin.url("/here")).serializingString().response
    #expect(response.value == "there")
    let entries = try entries()
    try #require(entries.count == 2)
    #expect(entries.map(\.request.url) == [origin.url("/here"), origin.url("/there")])
    #expect(entries.map(\.response.status) == [302, 200])
    #expect(entries.map(\.response.redirectURL) == ["/there", ""])
    #expect(entries[0].response.bodySize == 5)
    #expect(entries[1].response.content.text == "there")
    #expect(entries[0].custom["_connectionId"] == entries[1].custom["_connectionId"])
    #expect(entries[1].timings.connect ?? -1 == -1)
    #expect(entries[1].custom["_attempts"] == nil)
  }

  @Test("Each attempt of a request that is retried is an entry")
  func retry() async throws {
    let origin = try ScriptedOrigin(
      patience: 600, [.expectRequest, .respond("503 Busy", body: "busy"), .expectRequest, .respond(body: "ok"), .expectEnd])
    let request = session.request(origin.url(), interceptor: RetryPolicy(exponentialBackoffScale: 0.001)).validate()
    #expect(await request.serializingString().value(or: "") == "ok")
    #expect(try entries().map(\.response.status) == [503, 200])
  }

  @Test("A failure is told with its phase")
  func failure() async throws {
    let port = try ScriptedOrigin(patience: 600, []).port
    let response = await session.request("http://127.0.0.1:\(port)/").serializingData().response
    #expect(response.error != nil)
    let entry = try #require(try entries().first)
    #expect(entry.response.status == 0)
    let error = try #require(entry.custom["_error"]?.object)
    #expect(error["kind"]?.string == "refused")
    #expect(error["phase"]?.string == "connect")
    #expect(error["option"] == nil)
  }

  @Test("A request that is cancelled was ended by its client, with what has come")
  func cancelled() async throws {
    let origin = try ScriptedOrigin(
      patience: 600, [.expectRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"), .expectEnd])
    let request = session.streamRequest(origin.url())
    let ended = Mutex(false)
    await withCheckedContinuation { done in
      request.responseStream { stream in
        switch stream.event {
        case .stream: request.cancel()
        case .complete:
          if !ended.withLock({ ended in
            defer { ended = true }; return ended
          }) {
            done.resume()
          }
        }
      }
    }
    let entry = try #require(try entries().first)
    #expect(entry.custom["_ended"]?.object?["phase"]?.string == "receive")
    #expect(entry.response.content.text == "half")
  }

  @Test("Secrets are replaced, and what is not asked for is not written")
  func secrets() async throws {
    let origin = try ScriptedOrigin(patience: 600, [.expectRequest, .respond(body: "ok"), .expectEnd])
    _ = await session.request(origin.url(), headers: [.authorization(bearerToken: "s3cret-t0ken-of-ours")])
      .serializingString().response
    try recorder.finish()
    let text = String(decoding: try readFile(directory.path("tests.har")), as: UTF8.self)
    #expect(!text.contains("s3cret-t0ken-of-ours"))
    #expect(text.contains("Authorization"))
  }

  @Test("Sessions share a log, and a log is made once")
  func sharing() async throws {
    let origin = try ScriptedOrigin(patience: 600, [.expectRequest, .respond(body: "ok"), .expectEnd])
    let sessions = [session, Session(configuration: session.configuration)]
    for session in sessions { _ = await session.request(origin.url()).serializingString().response }
    #expect(sessions[0].recorder === recorder)
    #expect(try entries().count == 2)
    try recorder.finish()
    let error = #expect(throws: SessionRecorderError.self) { try SessionRecorder(path: directory.path("tests.har")) }
    #expect(error?.description == "\(directory.path("tests.har")): it exists already")
  }

  @Test("What a killed process leaves is a whole log of what had ended")
  func killed() async throws {
    let path = directory.path("killed.har")
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let origin = try ScriptedOrigin(
        patience: 600, [.forever([.answer { _ in Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntape".utf8) }])])
      let session = try Session(recording: path)
      await withTaskGroup { group in
        for number in 0..<4 {
          group.addTask {
            for round in 0... {
              _ = await session.request(origin.url("/\(number)/\(round)")).serializingString().response
              guard number == 0, round % 16 == 0, let text = try? readFile(path) else { continue }
              // Enough is there, and more is under way.
              if (try? HARLog(json: text).entries.count) ?? 0 >= 50 { kill(getpid(), SIGKILL) }
            }
          }
        }
      }
    }
    let text = try readFile(path)
    #expect(try Self.findings(text).isEmpty)
    #expect(try HARLog(json: text).entries.count >= 50)
  }
}

extension DataTask {
  fileprivate func value(or other: Value) async -> Value { await (try? value) ?? other }
}
