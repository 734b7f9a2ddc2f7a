import Glibc
import TapelineSystem
import Testing

@testable import TapelineLoop

/// In processes of their own: signals and their dispositions belong to the whole process.
struct SignalSourceTests {
  @Test(arguments: [SignalSource.Signal.hangUp, .interrupt, .terminate])
  func numbersAreTheSystems(_ signal: SignalSource.Signal) {
    switch signal {
    case .hangUp: #expect(signal.rawValue == SIGHUP)
    case .interrupt: #expect(signal.rawValue == SIGINT)
    case .terminate: #expect(signal.rawValue == SIGTERM)
    }
  }

  @Test func reportsEachSignalOnTheLoop() async {
    await #expect(processExitsWith: .exitCode(42)) {
      let loop = try EventLoop()
      var seen: [SignalSource.Signal] = []
      let sources = [SignalSource.Signal.hangUp, .interrupt, .terminate].map { signal in
        SignalSource(loop: loop, signal: signal) { signal in
          precondition(loop.isCurrent)
          seen.append(signal)
          if seen.count == 3 { loop.stop() }
        }
      }
      for source in sources { kill(getpid(), source.signal.rawValue) }
      loop.run()
      precondition(Set(seen) == [.hangUp, .interrupt, .terminate])
      for source in sources { source.cancel() }
      exit(42)
    }
  }

  @Test func aBrokenPipeIsAnErrorNotTheEnd() async {
    await #expect(processExitsWith: .exitCode(42)) {
      ProcessSignal.ignoreBrokenPipes()
      raise(SIGPIPE)
      exit(42)
    }
  }
}
