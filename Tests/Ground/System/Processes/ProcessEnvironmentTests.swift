import TapelineSystem
import Testing

@Suite("Process environment")
struct ProcessEnvironmentTests {
  @Test("Assignments replace what they name and leave the rest")
  func replacing() {
    let before = ProcessEnvironment.entries()
    let after = ProcessEnvironment.entries(replacing: [("PATH", "/nowhere"), ("TAPELINE_TEST_NEW", "a=b")])
    let texts = after.map { String(decoding: $0, as: UTF8.self) }
    #expect(texts.filter { $0.hasPrefix("PATH=") } == ["PATH=/nowhere"])
    #expect(texts.contains("TAPELINE_TEST_NEW=a=b"))
    let path = Array("PATH=".utf8)
    #expect(before.filter { !$0.starts(with: path) }.allSatisfy { after.contains($0) })
  }

  @Test("Variables are read by name, up to the first equals sign")
  func variables() {
    #expect(ProcessEnvironment.variables()["PATH"]?.isEmpty == false)
    #expect(ProcessEnvironment.variables()["TAPELINE_TEST_ABSENT"] == nil)
  }
}
