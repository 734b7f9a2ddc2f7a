import TapelineCore
import TapelineHAR
import TapelineInspect
import TapelineTestSupport
import TapelineBase
import Testing

@testable import TapelineRecorder
@testable import TapelineRedaction

/// No secret reaches the disk, from whatever place, by whichever way: recorded, in the debug log, redacted later, in files of
/// bodies.
struct SecretPlacementTests {
  private static let placements: [SecretPlacement] = {
    do {
      return try SecretPlacement.all()
    } catch {
      preconditionFailure("an example is no exchange: \(error)")
    }
  }()

  @Test("there are three hundred places at least")
  func thereAreMany() {
    #expect(Self.placements.count >= 300, "\(Self.placements.count)")
  }

  @Test("recorded", arguments: placements)
  func recorded(placement: SecretPlacement) throws {
    var writer = JSONWriter()
    var entryWriter = EntryWriter(anchor: ExampleExchange.anchor, redactor: Redactor(.standard), includesDebug: true)
    _ = entryWriter.append(placement.record, page: .first, to: &writer)
    let entry = try HAREntry(json: writer.bytes)
    expectNoSecret(in: writer.bytes, entry)
    expectNoSecret(in: Array(entryWriter.debugText(of: placement.record).utf8))
    let isShown = try Self.isShown(placement)
    #expect((entry.custom["_redacted"]?.integer ?? 0) > 0 || !isShown)
    if placement.isJSON { try expectJSON(entry) }
  }

  @Test("redacted later", arguments: placements)
  func redactedLater(placement: SecretPlacement) throws {
    var writer = JSONWriter()
    var entryWriter = EntryWriter(anchor: ExampleExchange.anchor, redactor: nil, includesDebug: true)
    _ = entryWriter.append(placement.record, page: .first, to: &writer)
    var entry = try HAREntry(json: writer.bytes)
    var redactor = EntryRedactor()
    let isShown = try Self.isShown(placement)
    #expect(redactor.redact(&entry) > 0 || !isShown)
    expectNoSecret(in: entry.json, entry)
    if placement.isJSON { try expectJSON(entry) }
    var again = entry
    #expect(redactor.redact(&again) == 0)
    #expect(again == entry)
  }

  /// What the log leaves out anyway (userinfo), or what decoding makes unreadable, needs no redaction.
  private static func isShown(_ placement: SecretPlacement) throws -> Bool {
    try TapelineRecorderTests.entry(of: placement.record).text.contains(SecretPlacement.secret)
  }

  @Test("with bodies in files, recorded and redacted later")
  func inFiles() throws {
    let directory = try TemporaryDirectory()
    for (number, placement) in Self.placements.enumerated() {
      let raw = try entry(of: placement, redactor: nil, bodies: directory.path("raw"), beside: directory.path("raw.har"))
      let hidden = try entry(
        of: placement, redactor: Redactor(.standard), bodies: directory.path("hidden-\(number)"),
        beside: directory.path("hidden.har"))
      expectNoSecret(in: hidden.json, hidden)
      try expectNoSecret(inFilesOf: hidden, directory)
      var later = raw
      let files = BodyFiles(besideHAR: directory.path("raw.har"))
      let redacted = try RedactedBodies(besideHAR: directory.path("later.har"), directory: directory.path("later-\(number)"))
      var redactor = EntryRedactor()
      #expect(files.bringIn(&later) == 0)
      _ = redactor.redact(&later)
      try redacted.putOut(&later)
      expectNoSecret(in: later.json, later)
      try expectNoSecret(inFilesOf: later, directory)
      #expect(Self.fileNames(of: later).count == Self.fileNames(of: raw).count, "\(placement.name)")
    }
  }

  private func entry(of placement: SecretPlacement, redactor: Redactor?, bodies: String, beside path: String) throws -> HAREntry {
    var writer = JSONWriter()
    var entryWriter = EntryWriter(anchor: ExampleExchange.anchor, redactor: redactor, includesDebug: false)
    entryWriter.bodies = try BodyStore(directory: bodies, besideHAR: path, syncs: false)
    _ = entryWriter.append(placement.record, page: .first, to: &writer)
    return try HAREntry(json: writer.bytes)
  }

  private static func fileNames(of entry: HAREntry) -> [String] {
    [entry.request.postData?.custom["_file"]?.string, entry.response.content.custom["_file"]?.string].compactMap(\.self)
  }

  private func expectNoSecret(inFilesOf entry: HAREntry, _ directory: borrowing TemporaryDirectory) throws {
    for name in Self.fileNames(of: entry) { expectNoSecret(in: try readFile(directory.path(name))) }
  }

  // MARK: What is looked for

  private func expectNoSecret(in bytes: [UInt8], _ entry: HAREntry? = nil, sourceLocation: SourceLocation = #_sourceLocation) {
    var texts = [bytes]
    if let entry {
      for text in [entry.request.postData?.text, entry.response.content.text].compactMap(\.self) {
        if let decoded = Base64.decode(Array(text.utf8).span) { texts.append(decoded) }
      }
      for message in entry.custom["_webSocketMessages"]?.array ?? [] {
        if let data = message["data"]?.string, let decoded = Base64.decode(Array(data.utf8).span) { texts.append(decoded) }
      }
    }
    for text in texts {
      // As it is, and with zeros between.
      for letters in [text, text.filter { $0 != 0 }] {
        let found = String(decoding: letters, as: UTF8.self)
        for spelling in Self.spellings where found.contains(spelling) {
          Issue.record("\(spelling) is in it: \(found.prefix(2_000))", sourceLocation: sourceLocation)
          return
        }
      }
    }
  }

  private static let spellings: [String] = {
    let secret = Array(SecretPlacement.secret.utf8)
    let echoes = EchoSpellings.all(of: secret).map { String(decoding: $0, as: UTF8.self) }
    return echoes + [SecretPlacement.number, SecretPlacement.base64("u:" + SecretPlacement.secret)]
  }()

  private func expectJSON(_ entry: HAREntry) throws {
    let text = try #require(entry.response.content.text)
    #expect(throws: Never.self, "\(text)") { _ = try HARValue(json: Array(text.utf8).span) }
    // Also in the strings of it.
    #expect(throws: Never.self, "\(text)") { try checkInner(try HARValue(json: Array(text.utf8).span)) }
  }

  private func checkInner(_ value: HARValue) throws {
    guard case .object(let object) = value else { return }
    for member in object.members {
      if case .string(let text) = member.value, text.hasPrefix("{") { try checkInner(try HARValue(json: Array(text.utf8).span)) }
    }
  }
}
