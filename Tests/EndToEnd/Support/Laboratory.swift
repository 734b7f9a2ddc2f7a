import TapelineTestSupport

/// One of the tools of `scripts/lab`, on the program that is tested.
func laboratory(_ arguments: [String]) throws -> TestProcess {
  try TestProcess(
    pythonInterpreter(), ["-B", "-m", "lab"] + arguments,
    environment: ["PYTHONPATH": "\(repositoryRoot)/scripts", "TAPELINE_BINARY": try TapelineProcess.binary])
}
