import Testing

@testable import TapelineLive

@Suite("Node environment")
struct NodeEnvironmentTests {
  private func options(_ inherited: String?, script: String = "/run/tapeline-node.cjs") -> String {
    NodeEnvironment.options(script: NodeScript(path: script), inherited: inherited)
  }

  @Test("What was there stays, in front, as it was written")
  func inherited() {
    #expect(options(nil) == "--require /run/tapeline-node.cjs")
    #expect(options("") == "--require /run/tapeline-node.cjs")
    #expect(
      options(#"--max-old-space-size=200  --require "/my dir/a.cjs""#)
        == #"--max-old-space-size=200 --require "/my dir/a.cjs" --require /run/tapeline-node.cjs"#)
    #expect(options(#"--title="a \" b""#) == #"--title="a \" b" --require /run/tapeline-node.cjs"#)
  }

  @Test("A script of ours that is named already is replaced, wherever it lies")
  func again() {
    let once = options("--inspect", script: "/my dir/tapeline-node.cjs")
    #expect(once == #"--inspect --require "/my dir/tapeline-node.cjs""#)
    #expect(options(once) == "--inspect --require /run/tapeline-node.cjs")
    #expect(options(options("--inspect")) == "--inspect --require /run/tapeline-node.cjs")
    #expect(options("--require /x/other-tapeline-node.cjs").hasPrefix("--require /x/other-tapeline-node.cjs --require"))
  }

  @Test("A path is quoted where Node.js would split it or take a backslash out")
  func quoting() {
    #expect(options(nil, script: #"/a "b\c/tapeline-node.cjs"#) == #"--require "/a \"b\\c/tapeline-node.cjs""#)
  }
}
