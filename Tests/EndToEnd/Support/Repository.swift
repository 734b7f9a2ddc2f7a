import TapelineTestSupport

/// The Python that `scripts/setup --test` fitted out with what the tests need, or else the machine's.
func pythonInterpreter() -> String {
  let ours = "\(repositoryRoot)/.build-tools/tests/bin/python"
  return fileExists(ours) ? ours : "python3"
}
