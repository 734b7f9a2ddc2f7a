import TapelineSystem
import Testing

@Suite("Process end")
struct ProcessEndTests {
  @Test(
    "The kernel's word for an ended process",
    arguments: [(0x0700, 7), (0x0000, 0), (0xFF00, 255), (0x000F, 143), (0x0089, 137)] as [(Int32, Int32)])
  func waitStatus(word: Int32, status: Int32) {
    #expect(ProcessEnd(waitStatus: word).shellStatus == status)
  }
}
