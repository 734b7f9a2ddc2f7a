import Testing

@testable import TapelineCore

@Suite struct MediaTypesTests {
  @Test("Extensions match in any case, and unknown extensions are bytes")
  func types() {
    #expect(MediaTypes.mediaType(ofExtension: "PNG") == "image/png")
    #expect(MediaTypes.mediaType(ofExtension: "json") == "application/json")
    #expect(MediaTypes.mediaType(ofExtension: "nonsense") == "application/octet-stream")
    #expect(MediaTypes.mediaType(ofExtension: "") == "application/octet-stream")
  }
}
