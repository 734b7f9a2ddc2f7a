import Glibc
import TapelineTestSupport
import Testing

@testable import TapelineRecorder

struct FileOutputTests {
  @Test func everythingIsWritten() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("a")
    let bytes = [UInt8](repeating: 0x61, count: 1 << 20)
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    let code = FileOutput.write(bytes.span, to: descriptor)
    let nothing = FileOutput.write(bytes.span.extracting(0..<0), to: descriptor)
    #expect(close(descriptor) == 0)
    #expect(code == 0)
    #expect(nothing == 0)
    #expect(try readFile(path) == bytes)
  }

  @Test func theErrorIsGiven() {
    let bytes: [UInt8] = [1]
    let descriptor = unsafe open("/dev/full", O_WRONLY | O_CLOEXEC)
    let code = FileOutput.write(bytes.span, to: descriptor)
    #expect(code == ENOSPC)
    #expect(close(descriptor) == 0)
  }
}
