import Glibc
import TapelineSystem
import TapelineTestSupport
import Testing

@Suite("File draft")
struct FileDraftTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private var names: [String] { Directory.namesIfReadable(in: directory.path).sorted() }

  @Test("Until it is finished, what was there before is there, and nobody else can read the draft")
  func replacing() throws {
    let path = try directory.write("old", to: "file")
    let draft = try FileDraft(of: path)
    try draft.write(Array("new".utf8).span)
    #expect(try readText(path) == "old")
    let other = try #require(names.first { $0 != "file" })
    #expect(try fileMode(directory.path(other)) == 0o600)
    try draft.replace(mode: 0o640, durability: .all)
    #expect(try readText(path) == "new")
    #expect(try fileMode(path) == 0o640)
    #expect(names == ["file"])
  }

  @Test("A draft that is dropped leaves nothing behind")
  func dropping() throws {
    do {
      let draft = try FileDraft(of: directory.path("file"))
      try draft.write(Array("new".utf8).span)
    }
    #expect(names.isEmpty)
  }

  @Test("A name that is taken stays what it is where it must be free")
  func placing() throws {
    let path = directory.path("file")
    let first = try FileDraft(of: path)
    try first.place(mode: 0o644)
    #expect(try fileMode(path) == 0o644)
    let second = try FileDraft(of: path)
    do throws(SystemCallError) {
      try second.place(mode: 0o600)
      Issue.record("the name is taken")
    } catch {
      #expect(error.code == EEXIST)
    }
    #expect(try fileMode(path) == 0o644)
    #expect(names == ["file"])
  }

  @Test("In its place it takes an empty file, and removes it when nothing came of it")
  func inPlace() throws {
    let path = try directory.write("", to: "file")
    do {
      let draft = try FileDraft(inPlace: path)
      try draft.write(([1] as [UInt8]).span)
    }
    #expect(names.isEmpty)
    let draft = try FileDraft(inPlace: path)
    try draft.replace()
    #expect(names == ["file"])
    try directory.write("full", to: "file")
    #expect(throws: PrivateFileError.exists) { _ = try FileDraft(inPlace: path) }
    #expect(try readText(path) == "full")
  }
}
