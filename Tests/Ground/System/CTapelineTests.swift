import CTapeline
import Glibc
import Testing

/// The fence itself: results come back as values, errors as negative codes.
struct CTapelineTests {
  @Test func errorsAreNegativeCodes() {
    #expect(tapeline_close(-1) == -EBADF)
    #expect(unsafe tapeline_open("/nonexistent/file", O_RDONLY, 0) == -ENOENT)
    #expect(tapeline_listen(-1, 1) == -EBADF)
    var byte: UInt8 = 0
    #expect(unsafe tapeline_read(-1, &byte, 1) == -Int(EBADF))
  }

  @Test func descriptorsDoNotReachChildProcesses() {
    var ends: [Int32] = [-1, -1]
    #expect(unsafe tapeline_pipe(&ends, true) == 0)
    let descriptors = [tapeline_eventfd(), tapeline_socket(false), tapeline_socket(true), ends[0], ends[1]]
    for descriptor in descriptors {
      #expect(fcntl(descriptor, F_GETFD) == FD_CLOEXEC)
      #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
      #expect(tapeline_close(descriptor) == 0)
    }
  }

  @Test func filesAreWrittenAtTheirPlace() {
    let path = "/tmp/ctapeline-test-\(getpid())"
    let file = unsafe tapeline_open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
    #expect(file >= 0)
    defer { unsafe unlink(path) }
    #expect(tapeline_flock(file, LOCK_EX | LOCK_NB) == 0)
    #expect(unsafe tapeline_pwrite(file, [1, 2, 3, 4] as [UInt8], 4, 2) == 4)
    #expect(tapeline_fsync(file) == 0)
    #expect(tapeline_ftruncate(file, 4) == 0)
    var bytes = [UInt8](repeating: 9, count: 8)
    #expect(unsafe tapeline_read(file, &bytes, 8) == 4)
    #expect(bytes == [0, 0, 1, 2, 9, 9, 9, 9])
    #expect(tapeline_close(file) == 0)
  }

  @Test func textsForCodes() {
    var buffer = [CChar](repeating: 0, count: 128)
    let text = unsafe tapeline_error_text(ENOENT, &buffer, buffer.count).map { unsafe String(cString: $0) }
    #expect(text == "No such file or directory")
    #expect(tapeline_is_name_not_found(EAI_NONAME))
    #expect(!tapeline_is_name_not_found(EAI_AGAIN))
  }
}
