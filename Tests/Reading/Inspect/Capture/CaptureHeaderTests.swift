import TapelineHAR
import Testing

@testable import TapelineInspect

struct CaptureHeaderTests {
  @Test func pagesBehindTheEntriesAreFoundAndEntriesLeftOut() throws {
    let file = try TemporaryFile(
      #"{"log":{"entries":[{"time":1}],"creator":{"name":"n","version":"v"},"pages":[{"id":"p"}],"comment":"c","_x":[1]}}"#)
    let log = try CaptureHeader.read(.open(file.path))
    #expect(log.creator.name == "n" && log.pages.map(\.id) == ["p"] && log.comment == "c" && log.custom == ["_x": [1]])
    #expect(log.entries.isEmpty && log.version == "1.2")
  }
}
