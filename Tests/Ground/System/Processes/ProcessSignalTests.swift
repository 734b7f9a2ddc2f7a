import Glibc
import TapelineSystem
import Testing

@Suite("Process signals")
struct ProcessSignalTests {
  @Test("A set has what it was made of")
  func sets() {
    let set = SignalSet(SIGHUP, SIGTERM)
    #expect(set.contains(SIGHUP) && set.contains(SIGTERM) && !set.contains(SIGINT))
    #expect(SignalSet.all.contains(SIGUSR1) && !SignalSet().contains(SIGUSR1))
  }

  @Test("What is ignored is known to be; what is absorbed is not ignored, and does nothing")
  func dispositions() async {
    await #expect(processExitsWith: .success) {
      precondition(!ProcessSignal.isIgnored(SIGHUP))
      _ = signal(SIGHUP, SIG_IGN)
      precondition(ProcessSignal.isIgnored(SIGHUP))
      ProcessSignal.absorb(SIGHUP)
      precondition(!ProcessSignal.isIgnored(SIGHUP))
      ProcessSignal.send(SIGHUP, to: CurrentProcess.id)
    }
  }

  @Test("A blocked signal waits")
  func blocking() async {
    await #expect(processExitsWith: .success) {
      SignalSet(SIGTERM).block()
      _ = raise(SIGTERM)
      precondition(SignalSet.pending.contains(SIGTERM))
    }
  }

  @Test("A broken pipe ends no process that ignores it")
  func brokenPipes() async {
    await #expect(processExitsWith: .success) {
      ProcessSignal.ignoreBrokenPipes()
      precondition(ProcessSignal.isIgnored(SIGPIPE))
    }
  }
}
