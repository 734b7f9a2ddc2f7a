import Testing

@testable import TapelineSystem

struct MachineMemoryTests {
  private func limit(_ groups: String, _ files: [String: String]) -> Int? {
    MachineMemory.limit(ofGroups: Array(groups.utf8)) { files[$0].map { Array($0.utf8) } }
  }

  @Test func theLeastLimitOfAGroupAndOfThoseAboveItHolds() {
    let files = [
      "/sys/fs/cgroup/a/b/memory.max": "max\n", "/sys/fs/cgroup/a/memory.max": "2000000\n",
      "/sys/fs/cgroup/memory.max": "3000000\n",
    ]
    #expect(limit("0::/a/b\n", files) == 2_000_000)
    #expect(limit("0::/\n", files) == 3_000_000)
  }

  @Test func aContainersOwnGroupStandsInForTheNameThatItIsTold() {
    let files = ["/sys/fs/cgroup/memory/memory.limit_in_bytes": "512000\n"]
    #expect(limit("7:cpu,cpuacct:/docker/1\n4:memory:/docker/1\n0::/docker/1\n", files) == 512_000)
  }

  @Test func withoutALimitThereIsNone() {
    #expect(limit("0::/a\n", ["/sys/fs/cgroup/a/memory.max": "max\n"]) == nil)
    #expect(limit("", [:]) == nil)
    #expect(limit("nonsense\n0::\n", [:]) == nil)
  }

  @Test func thereIsMemory() {
    #expect(MachineMemory.limit > 1 << 20)
  }
}
