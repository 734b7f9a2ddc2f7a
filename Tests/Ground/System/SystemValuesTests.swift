import Glibc
import TapelineBase
import TapelineSystem
import Testing

@Suite("System values")
struct SystemValuesTests {
  @Test("A piece of what is written is laid out as the system has it")
  func vectors() {
    #expect(unsafe MemoryLayout<IOVector>.size == MemoryLayout<iovec>.size)
    #expect(unsafe MemoryLayout<IOVector>.stride == MemoryLayout<iovec>.stride)
    #expect(unsafe MemoryLayout<IOVector>.offset(of: \.count) == MemoryLayout<iovec>.offset(of: \.iov_len))
  }

  @Test("The clocks go forward")
  func clocks() {
    let (monotonic, unix) = (SystemClock.monotonicNanoseconds, SystemClock.unixNanoseconds)
    #expect(SystemClock.monotonicNanoseconds >= monotonic)
    #expect(unix > 1_700_000_000_000_000_000)
    #expect(SystemClock.threadNanoseconds > 0 && SystemClock.processNanoseconds > 0)
  }

  @Test("The limit of open files is raised to the hard one")
  func openFiles() async {
    await #expect(processExitsWith: .success) {
      OpenFileLimit.raise()
      precondition(OpenFileLimit.current == OpenFileLimit.highest)
    }
  }

  @Test("A byte is found where it stands, from a place on", arguments: [0, 1, 7, 63])
  func search(place: Int) {
    var bytes = [UInt8](repeating: 0x61, count: 64)
    bytes[place] = 0x0A
    #expect(bytes.span.firstIndex(of: 0x0A, from: 0) == place)
    #expect(bytes.span.firstIndex(of: 0x0A, from: place + 1) == nil)
    #expect([UInt8]().span.firstIndex(of: 0x0A, from: 0) == nil)
  }

  @Test("Each thread has a number of its own")
  func threads() {
    #expect(SystemThread.currentID != 0)
    #expect(SystemThread.currentID == SystemThread.currentID)
  }

  @Test("Codes have the meaning that their names say")
  func codes() {
    #expect(ErrorCode.notFound == ENOENT && ErrorCode.wouldBlock == EWOULDBLOCK && ErrorCode.tooManyFilesOfAll == ENFILE)
    #expect(SystemCallError(code: ENOENT, call: .open).text == "No such file or directory")
  }
}
