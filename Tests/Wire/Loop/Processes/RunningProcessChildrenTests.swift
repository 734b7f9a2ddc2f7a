import TapelineLoop
import TapelineTestSupport
import Testing

@Suite("Running process: children")
struct RunningProcessChildrenTests {
  @Test("The lists of children, where the kernel keeps them, and the pass over all processes find the same")
  func family() throws {
    let shell = try TestProcess("sh", ["-c", "exec 3<&0; sh -c 'cat <&3; true' & echo ready; cat; wait"], input: nil)
    _ = try shell.waitForOutputLine(containing: "ready")
    let process = try #require(RunningProcess(id: shell.id))
    let descendants = RunningProcess.descendants(of: shell.id)
    let family = process.family ?? descendants
    #expect(family.contains { $0.parent == shell.id })
    #expect(Set(descendants.map(\.id)).isSubset(of: (process.family ?? descendants).map(\.id)), "younger ones may have come")
    shell.closeInput()
  }
}
