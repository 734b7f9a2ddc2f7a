import TapelineSystem
import TapelineTestSupport
import Testing

@testable import TapelineLoop

@Suite("Who is at the other end of a connection of this machine")
struct SocketOwnerTests {
  @Test("This process, by its own socket, in both directions")
  func own() throws {
    let pair = try SocketPair()
    let near = try SystemCalls.localAddress(of: pair.near.rawValue)
    let far = try SystemCalls.localAddress(of: pair.far.rawValue)
    for (local, remote, descriptor) in [(near, far, pair.near.rawValue), (far, near, pair.far.rawValue)] {
      let socket = try #require(TCPSocket.connecting(local, to: remote))
      #expect(socket.state == .established)
      #expect(socket.user == CurrentUser.effectiveID)
      #expect(TCPSocket.inode(connecting: local, to: remote) == socket.inode, "the kernel's answer and its table")
      #expect(RunningProcess(id: CurrentProcess.id)?.sockets.contains(socket.inode) == true)
      let holder = try #require(RunningProcess.owner(of: local, to: remote))
      #expect(holder.process.id == CurrentProcess.id)
      #expect(holder.descriptor == descriptor)
      let wrong = [1, Int32.max].map { RunningProcess.Suspect(id: $0, descriptors: [holder.descriptor]) }
      for descriptors in [[], [0, 1, Int32.max], [-1, holder.descriptor]] {
        let likely = wrong + [RunningProcess.Suspect(id: CurrentProcess.id, descriptors: descriptors)]
        #expect(RunningProcess.owner(of: local, to: remote, likely: likely) == holder)
      }
    }
    #expect(TCPSocket.connecting(near, to: far.with(port: 1)) == nil)
    #expect(TCPSocket.inode(connecting: near, to: far.with(port: 1)) == nil)
    pair.near.discard()
    pair.far.discard()
    // A child that another test is about to start may have a copy for a moment.
    #expect(RunningProcess.owner(of: near, to: far)?.process.id != CurrentProcess.id, "we do not hold it any more")
  }

  @Test("A child, over both kinds of addresses", arguments: ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
  func child(host: String) throws {
    let literal = host == "::1" ? "::1" : "127.0.0.1"
    let bound = try BoundSocket(try #require(SocketAddress(literal: literal, port: 0)), reusePort: false)
    let listening = bound.address
    let listener = try bound.listen(backlog: 4)
    let connect = """
      import socket, sys
      s = socket.create_connection((sys.argv[1], int(sys.argv[2])))
      print("connected", flush=True)
      sys.stdin.read()
      """
    let child = try TestProcess("python3", ["-c", connect, host, "\(listening.port)"], input: nil)
    _ = try child.waitForOutputLine(containing: "connected")
    let accepted = try #require(try SystemCalls.accept(listener.rawValue))
    let descriptor = FileDescriptor(owning: accepted.descriptor)
    let owner = try #require(RunningProcess.owner(of: accepted.peer, to: listening)).process
    #expect(owner.id == child.id)
    #expect(owner.name.hasPrefix("python3"))
    #expect(owner.arguments().last == "\(listening.port)")
    let sockets = TCPSocket.all(seenBy: child.id).filter { owner.sockets.contains($0.inode) }
    #expect(sockets.map(\.remote.unmapped) == [listening])
    #expect(RunningProcess.descendants(of: CurrentProcess.id).contains(owner))
    child.closeInput()
    try child.wait()
    #expect(!owner.isRunning)
    descriptor.discard()
    listener.discard()
    #expect(RunningProcess.owner(of: accepted.peer, to: listening) == nil)
  }

  @Test("A socket that listens is in the table, without a peer")
  func listening() throws {
    let bound = try BoundSocket(try #require(SocketAddress(literal: "127.0.0.1", port: 0)), reusePort: false)
    let address = bound.address
    let listener = try bound.listen(backlog: 1)
    let rows = TCPSocket.all().filter { $0.local == address }
    #expect(rows.map(\.state) == [.listen])
    #expect(rows.map(\.remote.description) == ["0.0.0.0:0"])
    listener.discard()
  }

  @Test(
    "Addresses as the tables write them",
    arguments: [
      ("0100007F:1F90", "127.0.0.1:8080"), ("00000000:0000", "0.0.0.0:0"),
      ("00000000000000000000000001000000:0050", "[::1]:80"), ("B80D0120000000000000000007000000:FFFF", "[2001:db8::7]:65535"),
      ("0000000000000000FFFF00000100007F:0001", "[::ffff:127.0.0.1]:1"),
    ])
  func addresses(text: String, meaning: String) throws {
    let family: SocketAddress.Family = text.utf8.count == 13 ? .ipv4 : .ipv6
    let address = try #require(SocketAddress(table: Array(text.utf8)[...], family: family))
    #expect(address.description == meaning)
    #expect(address.tableText(family) == text)
    if family == .ipv6, address.unmapped.family == .ipv4 { #expect(address.unmapped.tableText(.ipv6) == text) }
  }

  @Test("What is no row is none", arguments: ["", ":", "0: 0100007F:1F90", "0: 0100007F:1F90 0:0 01 a b c d e f g h", "🎈🎈 🎈 🎈"])
  func noise(row: String) {
    #expect(TCPSocket(Array(row.utf8)[...], family: .ipv4) == nil)
    #expect(TCPSocket(Array(row.utf8)[...], family: .ipv6) == nil)
  }
}
