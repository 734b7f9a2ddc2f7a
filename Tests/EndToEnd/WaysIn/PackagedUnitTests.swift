import TapelineTestSupport
import Testing

/// The manager of a user's units.
private enum UnitManager {
  static let program = "/lib/systemd/systemd"

  static var isPossible: Bool {
    let probe = "test -x \(program) && mount -t tmpfs tmpfs /run && test -w /sys/fs/cgroup"
    return (try? TestProcess("unshare", ["-mn", "sh", "-c", probe]).wait()) == .exited(0)
  }
}

extension EndToEnd {
  /// The units of the packages, started by systemd itself, with everything that they forbid.
  @Suite(.enabled(if: UnitManager.isPossible, "no systemd, or nobody who may mount"))
  struct PackagedUnits {
    /// Runs a manager of units for a user, in a network and with a `/run` of its own, asks the proxy for six pages, and ends it.
    private static let script = """
      directory=$1 unit=$2
      ip link set lo up
      mount -t tmpfs tmpfs /run
      mkdir -p /run/systemd/system /run/user/0
      chmod 700 /run/user/0
      group=/sys/fs/cgroup/systemd
      test -d $group || group=/sys/fs/cgroup
      group=$group/tapeline-test-$$
      mkdir $group
      echo $$ >$group/cgroup.procs
      python3 -m http.server 8080 --bind 127.0.0.1 --directory "$directory/config" >/dev/null 2>&1 &
      origin=$!
      env -i PATH="$PATH" HOME="$directory" XDG_RUNTIME_DIR=/run/user/0 XDG_CONFIG_HOME="$directory/config" \\
        XDG_STATE_HOME="$directory/state" XDG_DATA_HOME="$directory/data" SYSTEMD_LOG_TARGET=console \\
        \(UnitManager.program) --user --unit="$unit" </dev/null >"$directory/manager" 2>&1 &
      manager=$!
      for number in 1 2 3 4 5 6; do
        curl -s -o /dev/null -w '%{http_code}\\n' --noproxy '' --retry 20 --retry-delay 1 --retry-all-errors \\
          -x http://127.0.0.1:8888 "http://127.0.0.1:8080/$number"
      done
      kill -TERM $manager
      wait $manager
      kill $origin
      cat "$directory/error"
      find $group -depth -type d -exec rmdir {} +
      """

    @Test(
      "A user's service records under the sandbox of its unit, also after a crash of its own",
      arguments: ["tapeline.service", "tapeline.socket"], ["", "redaction:2"])
    func units(unit: String, trap: String) throws {
      let directory = try TemporaryDirectory()
      let units = directory.path("config/systemd/user")
      try #require(try TestProcess("mkdir", ["-p", "\(units)/tapeline.service.d"]).wait().isSuccess)
      let package = "\(repositoryRoot)/scripts/lib/package"
      try #require(try TestProcess("cp", ["\(package)/tapeline.service", "\(package)/tapeline.socket", units]).wait().isSuccess)
      // The program of this build, in place of the package's.
      try directory.write(
        """
        [Service]
        ExecStart=
        ExecStart=\(try TapelineProcess.binary) record --name user
        Environment=TAPELINE_TRAP=\(trap)
        ExecStartPost=/bin/sh -c 'grep -h -E "^(Seccomp|NoNewPrivs):" /proc/$MAINPID/status >\(directory.path("limits"))'
        StandardError=file:\(directory.path("error"))
        """, to: "config/systemd/user/tapeline.service.d/test.conf")
      let program = try directory.write(Self.script, to: "script")
      let run = try TestProcess("unshare", ["-mn", "sh", program, directory.path, unit])
      try run.wait(seconds: 90)
      let manager = (try? readText(directory.path("manager"))) ?? ""
      let lines = run.outputText.split(separator: "\n").map(String.init)
      #expect(lines.filter { $0 == "404" }.count >= (trap.isEmpty ? 6 : 4), "\(run.outputText)\(run.errorText)\(manager)")
      #expect(try readText(directory.path("limits")) == "NoNewPrivs:\t1\nSeccomp:\t2\n")
      // Older managers know no XDG_STATE_HOME.
      let script = "cd \"$0\"/state 2>/dev/null || cd \"$0\"/config && stat -c '%a %n' tapeline tapeline/*.har && pwd"
      let listing = try TestProcess("sh", ["-c", script, directory.path])
      #expect(try listing.wait().isSuccess, "\(listing.errorText)\(run.outputText)\(manager)")
      let files = listing.outputText.split(separator: "\n")
      try #require(files.count == 3 && files[0] == "700 tapeline", "\(listing.outputText)")
      #expect(files[1].hasPrefix("600 tapeline/tapeline-"))
      let log = try RecordedLog(contentsOf: "\(files[2])/\(files[1].dropFirst(4))")
      #expect(violations(in: log) == [])
      #expect(log.entries.contains { $0.url.hasSuffix("/6") && $0.status == 404 }, "\(run.outputText)")
      #expect(log.entries.count { $0.tree["_crash"] != nil } == (trap.isEmpty ? 0 : 1), "\(run.outputText)")
    }
  }
}
