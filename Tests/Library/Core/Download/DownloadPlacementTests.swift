import FoundationEssentials
import TapelineTestSupport
import Testing

@testable import TapelineCore

@Suite struct DownloadPlacementTests {
  private let directory: TemporaryDirectory
  private let response: HTTPURLResponse

  init() throws {
    directory = try TemporaryDirectory()
    let url = try #require(URL(string: "http://host/a/name.txt"))
    response = try #require(
      HTTPURLResponse(
        url: url, statusCode: 200,
        headers: ["Content-Disposition": "attachment; filename=\"../../etc/said.txt\""]))
  }

  private func source(_ text: String = "new") throws -> URL {
    URL(filePath: try directory.write(text, to: "temporary"))
  }

  private func move(_ source: URL, to name: String, _ options: DownloadRequest.Options) throws -> URL {
    let destination = URL(filePath: directory.path(name))
    try DownloadPlacement(of: source, response) { _, _ in (destination, options) }.move(source)
    return destination
  }

  @Test("The closure is given the temporary file and the response")
  func closure() throws {
    let source = try source()
    let placement = DownloadPlacement(of: source, response) { [response] temporaryURL, given in
      #expect(temporaryURL == source)
      #expect(given.statusCode == response.statusCode)
      return (temporaryURL.deletingLastPathComponent().appending(component: "there"), [])
    }
    #expect(placement.destination.lastPathComponent == "there")
  }

  @Test("removePreviousFile replaces the file; without the option, both files stay")
  func previousFile() throws {
    try directory.write("old", to: "there")
    let source = try source()
    let error = #expect(throws: TapelineError.self) { try move(source, to: "there", []) }
    guard case .downloadedFileMoveFailed(_, source, let destination) = error else {
      Issue.record("unexpected: \(String(describing: error))")
      return
    }
    #expect(destination.path == directory.path("there"))
    #expect(try readText(directory.path("there")) == "old")
    #expect(fileExists(source.path))
    _ = try move(source, to: "there", .removePreviousFile)
    #expect(try readText(directory.path("there")) == "new")
    #expect(!fileExists(source.path))
  }

  @Test("createIntermediateDirectories creates missing directories; without the option, the move fails")
  func directories() throws {
    let source = try source()
    #expect(throws: TapelineError.self) { try move(source, to: "a/b/c", []) }
    _ = try move(source, to: "a/b/c", .createIntermediateDirectories)
    #expect(try readText(directory.path("a/b/c")) == "new")
  }

  @Test("The previous file is removed first, then directories are made, then the file is moved")
  func order() throws {
    let both: DownloadRequest.Options = [.removePreviousFile, .createIntermediateDirectories]
    try directory.write("old", to: "previous")
    // Nothing is there to be removed as long as the directory on the way is missing; once that is made, the name is taken.
    #expect(throws: TapelineError.self) { try move(source(), to: "missing/../previous", both) }
    #expect(try readText(directory.path("previous")) == "old")
    #expect(fileExists(directory.path("missing")))
    // Now that the directory is there, the previous file is found and removed.
    _ = try move(source(), to: "missing/../previous", both)
    #expect(try readText(directory.path("previous")) == "new")
  }

  @Test("removePreviousFile also removes a directory in the way, with its content")
  func directoryInTheWay() throws {
    let kept = try directory.makeDirectory("there")
    try directory.write("x", to: "there/inside")
    let source = try source()
    #expect(throws: TapelineError.self) { try move(source, to: "there", []) }
    #expect(fileExists(kept + "/inside"))
    #expect(fileExists(source.path))
    _ = try move(source, to: "there", .removePreviousFile)
    #expect(!fileExists(kept + "/inside"))
    #expect(fileExists(kept))
  }

  @Test("The suggested destination takes the response's name, and never another directory's")
  func suggestedDestination() throws {
    let destination = DownloadRequest.suggestedDownloadDestination(
      in: URL(filePath: directory.path), options: .removePreviousFile)
    let wanted = destination(try source(), response)
    #expect(wanted.destinationURL.path == directory.path("said.txt"))
    #expect(wanted.options == .removePreviousFile)
  }

  @Test("A destination that is not a file URL is an error")
  func remoteDestination() throws {
    let source = try source()
    let remote = try #require(URL(string: "http://host/"))
    #expect(throws: TapelineError.self) {
      try DownloadPlacement(of: source, response) { _, _ in (remote, []) }.move(source)
    }
  }
}
