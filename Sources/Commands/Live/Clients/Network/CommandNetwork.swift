package import TapelineOffline
package import TapelineSystem

/// The network of the command of `run --all`, seen from outside: sockets in it, and its counters. It exists as long as the
/// command or one of the sockets.
package final class CommandNetwork: Sendable {
  private let descriptors: [NetworkPart: Int32]
  /// Our end of the guard's pipe.
  private let lifeline: Int32
  /// How many sockets of other networks the command was given.
  package let inheritedSockets: Int

  private init(_ descriptors: [NetworkPart: Int32], lifeline: Int32, inheritedSockets: Int) {
    self.descriptors = descriptors
    self.lifeline = lifeline
    self.inheritedSockets = inheritedSockets
  }

  /// A crash leaves it to the next start.
  private func keep() {
    for (part, descriptor) in descriptors { ProcessRestart.keep(descriptor, as: Self.keptName(of: part)) }
    ProcessRestart.keep(lifeline, as: Self.lifelineName)
    ProcessRestart.keep(Int64(inheritedSockets), as: .inheritedSockets)
  }

  /// The network from before a crash, if the command has one.
  package static var kept: CommandNetwork? {
    guard let lifeline = ProcessRestart.descriptor(lifelineName) else { return nil }
    let parts = NetworkPart.allCases.compactMap { part in ProcessRestart.descriptor(keptName(of: part)).map { (part, $0) } }
    return CommandNetwork(
      Dictionary(parts) { first, _ in first }, lifeline: lifeline, inheritedSockets: Int(ProcessRestart.word(.inheritedSockets)))
  }

  private static let lifelineName = "lifeline"

  private static func keptName(of part: NetworkPart) -> String { "network \(part.rawValue)" }

  deinit {
    for part in descriptors.keys { ProcessRestart.forget(Self.keptName(of: part)) }
    ProcessRestart.forget(Self.lifelineName)
    for descriptor in descriptors.values { SystemCalls.discard(descriptor) }
    SystemCalls.discard(lifeline)
  }

  /// Lets programs live on that the command has left behind: without this, all end that are still there when we end.
  package func release() {
    do throws(SystemCallError) {
      let farewell: [UInt8] = [1]
      try SystemCalls.writeAll(farewell.span, to: lifeline)
    } catch {
      // The guard has been killed.
    }
  }

  /// Listening sockets that accept a connection to any destination: the accepted socket's own address. They stay ours.
  package var listeners: [Int32] { [.listenerIPv4, .listenerIPv6].compactMap { descriptors[$0] } }

  /// Sockets to which all questions to name servers come. They stay ours.
  package var nameSockets: [Int32] { [.namesIPv4, .namesIPv6].compactMap { descriptors[$0] } }

  /// A socket whose packet queue holds back each connection until it is judged; `nil` where the kernel has no such queues. It
  /// stays ours.
  package var packets: Int32? { descriptors[.packets] }

  /// A socket with the queues of all packets (`PacketLink`), if a link is to hold them. It stays ours.
  var link: Int32? { descriptors[.link] }

  /// A socket by which the kernel is asked for the network's sockets (`SystemCalls.makeDiagnosticSocket`). It stays ours.
  package var diagnostics: Int32? { descriptors[.diagnostics] }

  /// The kernel's counters of the network so far.
  package var counters: NetworkCounters {
    NetworkCounters(
      [NetworkPart.counters, .countersIPv6, .countersOfGroups].compactMap { descriptors[$0] }.map(Self.content))
  }

  private static func content(of file: Int32) -> [UInt8] {
    do throws(SystemCallError) {
      var room = [UInt8](repeating: 0, count: 65_536)
      let count = try SystemCalls.read(file, at: 0, into: &room)
      return Array(room[..<count])
    } catch {
      return []
    }
  }

  // MARK: Starting a command in one

  /// How the start of a command ended.
  package enum Start {
    /// It runs, in this network; `nil`: it has ended before it had one.
    case started(ChildIdentifier, CommandNetwork?)
    /// This system gives it no network, and it does not run.
    case refused(NetworkRefusal)
  }

  /// Starts `command`, looked up in `PATH` as a shell does, in a network of its own.
  ///
  /// - Parameter isLinked: whether all packets wait for a link.
  package static func start(
    _ command: [String], environment: [[UInt8]], isLinked: Bool = false
  ) throws(CommandFailure) -> Start {
    let launched: Launched
    do throws(SystemCallError) {
      launched = try launch(command, environment: environment, isLinked: isLinked)
    } catch {
      return .refused(NetworkRefusal(step: .namespace, code: error.code))
    }
    defer { SystemCalls.discard(launched.channel) }
    return try follow(launched, command)
  }

  /// The launcher, and our ends of what leads to it.
  private struct Launched {
    let child: ChildIdentifier
    let channel: Int32
    let lifeline: Int32
  }

  private static func launch(
    _ command: [String], environment: [[UInt8]], isLinked: Bool
  ) throws(SystemCallError) -> Launched {
    let (near, far) = try SystemCalls.makeLocalPair()
    defer { SystemCalls.discard(far) }
    do throws(SystemCallError) {
      let (end, lifeline) = try SystemCalls.makePipe(isNonBlocking: false)
      defer { SystemCalls.discard(end) }
      do throws(SystemCallError) {
        let arguments = NetworkLauncher.arguments(channel: far, lifeline: end, isLinked: isLinked, command: command)
        var program = ProgramStart(["/proc/self/exe"] + arguments, environment: environment)
        program.isLookedUp = false
        program.handedOver = [far, end]
        return Launched(child: try program.start(), channel: near, lifeline: lifeline)
      } catch {
        SystemCalls.discard(lifeline)
        throw error
      }
    } catch {
      SystemCalls.discard(near)
      throw error
    }
  }

  private static func follow(_ launched: Launched, _ command: [String]) throws(CommandFailure) -> Start {
    var network: CommandNetwork?
    // Without a network, nobody is there to be told.
    defer { if network == nil { SystemCalls.discard(launched.lifeline) } }
    // The connection ends with the launcher: when it becomes the command, or before.
    while let (message, descriptors) = receive(on: launched.channel) {
      switch LauncherMessage(message) {
      case .ready(let parts, let inherited):
        network = CommandNetwork(
          Dictionary(zip(parts, descriptors)) { first, _ in first }, lifeline: launched.lifeline, inheritedSockets: inherited)
      case .failed(let step, let code):
        _ = launched.child.collect()
        return .refused(NetworkRefusal(step: step, code: code))
      case .notExecuted(let code):
        _ = launched.child.collect()
        throw ChildProcess.failure(to: command, SystemCallError(code: code, call: .execute))
      case nil:
        continue
      }
    }
    network?.keep()
    return .started(launched.child, network)
  }

  private static func receive(on channel: Int32) -> ([UInt8], [Int32])? {
    do throws(SystemCallError) {
      let received = try SystemCalls.receiveMessage(
        from: channel, limit: LauncherMessage.limit, descriptorLimit: NetworkPart.allCases.count)
      return received.message.isEmpty ? nil : received
    } catch {
      return nil
    }
  }
}
