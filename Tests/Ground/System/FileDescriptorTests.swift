import CTapeline
import Glibc
import TapelineSystem
import Testing

struct FileDescriptorTests {
  @Test func closesOnce() throws {
    let raw = tapeline_eventfd()
    let descriptor = FileDescriptor(owning: raw)
    #expect(descriptor.rawValue == raw)
    try descriptor.close()
  }

  @Test func givesUpOwnership() throws {
    let raw = FileDescriptor(owning: tapeline_eventfd()).release()
    #expect(fcntl(raw, F_GETFD) == FD_CLOEXEC, "still open")
    FileDescriptor(owning: raw).discard()
  }

  @Test func anErrorCodeIsNoDescriptor() async {
    await #expect(processExitsWith: .failure) {
      FileDescriptor(owning: -EMFILE).discard()
    }
  }

  #if DEBUG
    @Test func aLostDescriptorAlarmsInDebugBuilds() async {
      await #expect(processExitsWith: .failure) {
        _ = FileDescriptor(owning: tapeline_eventfd())
      }
    }
  #endif
}
