import TapelineSystem
import TapelineTestSupport
import TapelineBase
import Testing

@testable import TapelineLive
@testable import TapelineRecorder

/// Numbers go on across the files of a rotation, whatever becomes of a file.
@Suite("Files of the live page")
struct LiveFilesTests {
  /// A recording that rotates, as far as the page sees it: each entry is its number.
  private struct Rotation {
    private static let opening = "{\"log\":{\"entries\":[\n"
    private let directory: TemporaryDirectory
    private var names: [String] = []
    private var finished: [FinishedFile] = []
    private var count = 0
    private var text = ""
    private var entries = 0

    init() throws {
      directory = try TemporaryDirectory()
    }

    /// The recorder writes so many entries into a new file.
    mutating func begin(entries: Int) throws {
      if let path = names.last {
        finished.append(FinishedFile(path: path, textEnd: text.utf8.count, entryCount: UInt64(self.entries)))
      }
      let numbers = count + 1..<count + 1 + entries
      text = Self.opening + numbers.map { "{\"n\":\($0)}" }.joined(separator: ",\n")
      names.append(try directory.write(text, to: "\(names.count).har"))
      (count, self.entries) = (count + entries, entries)
    }

    func remove(_ index: Int) throws {
      try SystemCalls.remove(names[index])
    }

    func follow(_ files: inout LiveFiles) throws {
      let descriptor = try SystemCalls.open(names[names.count - 1])
      defer { SystemCalls.discard(descriptor) }
      try files.follow(
        SnapshotSource(
          of: names[names.count - 1], after: finished, descriptor: descriptor, textEnd: text.utf8.count,
          entryCount: UInt64(entries), tail: SnapshotSource.Tail()))
    }
  }

  private static func entry(_ number: Int, of files: LiveFiles) -> String? {
    files.withEntry(number) { String(decoding: [UInt8](copying: $0), as: UTF8.self) }
  }

  @Test("Files that were finished between two looks are read by their names")
  func rotations() throws {
    var (rotation, files) = (try Rotation(), LiveFiles())
    try rotation.begin(entries: 2)
    try rotation.follow(&files)
    for count in [3, 0, 1] { try rotation.begin(entries: count) }
    try rotation.follow(&files)
    #expect(files.firstNumber == 1 && files.nextNumber == 7)
    for number in 1...6 { #expect(Self.entry(number, of: files) == "{\"n\":\(number)}") }
    #expect(files.numbers(from: 2) == 2..<3 && files.numbers(from: 3) == 3..<6 && files.numbers(from: 6) == 6..<7)
    #expect(files.numbers(from: 7).isEmpty && Self.entry(7, of: files) == nil)
  }

  @Test("The file that was current when somebody first looked is the first")
  func beginning() throws {
    var (rotation, files) = (try Rotation(), LiveFiles())
    for count in [5, 2] { try rotation.begin(entries: count) }
    try rotation.follow(&files)
    #expect(files.numbers(from: 1) == 1..<3)
    #expect(Self.entry(1, of: files) == "{\"n\":6}")
  }

  @Test("The entries of files that were removed keep their numbers, and the next file that is there comes after them")
  func removed() throws {
    var (rotation, files) = (try Rotation(), LiveFiles())
    try rotation.begin(entries: 2)
    try rotation.follow(&files)
    for count in [3, 4, 1, 2] { try rotation.begin(entries: count) }
    for index in [1, 2] { try rotation.remove(index) }
    try rotation.follow(&files)
    #expect(files.nextNumber == 13)
    #expect(files.numbers(from: 2) == 2..<3 && files.numbers(from: 3) == 10..<11 && files.numbers(from: 7) == 10..<11)
    #expect(Self.entry(2, of: files) == "{\"n\":2}" && Self.entry(10, of: files) == "{\"n\":10}")
    #expect((3...9).allSatisfy { Self.entry($0, of: files) == nil })
    try rotation.begin(entries: 1)
    try rotation.follow(&files)
    #expect(files.numbers(from: 13) == 13..<14 && Self.entry(13, of: files) == "{\"n\":13}")
  }

  @Test("A file that was opened can be removed: its entries are still there")
  func open() throws {
    var (rotation, files) = (try Rotation(), LiveFiles())
    try rotation.begin(entries: 2)
    try rotation.follow(&files)
    try rotation.begin(entries: 1)
    try rotation.remove(0)
    try rotation.follow(&files)
    #expect((1...3).map { Self.entry($0, of: files) } == (1...3).map { "{\"n\":\($0)}" })
  }

  @Test("However many files there were between two looks, the latest few are held")
  func many() throws {
    var (rotation, files) = (try Rotation(), LiveFiles())
    try rotation.begin(entries: 1)
    try rotation.follow(&files)
    for _ in 0..<3 * LiveFiles.most { try rotation.begin(entries: 1) }
    try rotation.follow(&files)
    let next = 3 * LiveFiles.most + 2
    #expect(files.nextNumber == next && files.firstNumber == next - LiveFiles.most)
    for number in files.firstNumber..<next { #expect(Self.entry(number, of: files) == "{\"n\":\(number)}") }
  }
}
