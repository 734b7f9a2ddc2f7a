package import TapelineConsole
package import TapelineSystem

/// The network of the command of `run --all`, seen from outside: sockets in it, and its counters. It exists as long as the
/// command or one of the sockets.
package final class CommandNetwork: Sendable {
  private let descriptors: [NetworkPart: Int32]

  private init(_ descriptors: [NetworkPart: Int32]) {
    self.descriptors = descriptors
  }

  deinit {
    for descriptor in descriptors.values { SystemCalls.discard(descriptor) }
  }

  /// Listening sockets that accept a connection to any destination: the accepted socket's own address. They stay ours.
  package var listeners: [Int32] { [.listenerIPv4, .listenerIPv6].compactMap { descriptors[$0] } }

  /// Sockets to which all questions to name servers come. They stay ours.
  package var nameSockets: [Int32] { [.namesIPv4, .namesIPv6].compactMap { descriptors[$0] } }

  /// What the kernel has counted in the network so far.
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
  package static func start(_ command: [String], environment: [[UInt8]]) throws(CommandFailure) -> Start {
    let child: ChildIdentifier
    let channel: Int32
    do throws(SystemCallError) {
      (child, channel) = try launch(command, environment: environment)
    } catch {
      return .refused(NetworkRefusal(step: .namespace, code: error.code))
    }
    defer { SystemCalls.discard(channel) }
    return try follow(child, command, on: channel)
  }

  private static func launch(
    _ command: [String], environment: [[UInt8]]
  ) throws(SystemCallError) -> (ChildIdentifier, channel: Int32) {
    let (near, far) = try SystemCalls.makeLocalPair()
    defer { SystemCalls.discard(far) }
    let arguments = NetworkLauncher.arguments(channel: far, parent: CurrentProcess.id, command: command)
    var program = ProgramStart(["/proc/self/exe"] + arguments, environment: environment)
    program.isLookedUp = false
    program.handedOver = [far]
    do throws(SystemCallError) {
      return (try program.start(), near)
    } catch {
      SystemCalls.discard(near)
      throw error
    }
  }

  private static func follow(_ child: ChildIdentifier, _ command: [String], on channel: Int32) throws(CommandFailure) -> Start {
    var network: CommandNetwork?
    // The connection ends with the launcher: when it becomes the command, or before.
    while let (message, descriptors) = receive(on: channel) {
      switch LauncherMessage(message) {
      case .ready(let parts):
        network = CommandNetwork(Dictionary(zip(parts, descriptors)) { first, _ in first })
      case .failed(let step, let code):
        _ = child.collect()
        return .refused(NetworkRefusal(step: step, code: code))
      case .notExecuted(let code):
        _ = child.collect()
        throw ChildProcess.failure(to: command, SystemCallError(code: code, call: .execute))
      case nil:
        continue
      }
    }
    return .started(child, network)
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
