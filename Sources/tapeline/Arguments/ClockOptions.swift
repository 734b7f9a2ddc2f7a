internal import ArgumentParser
internal import TapelineInspect

/// Whose clock times are printed for people.
struct ClockOptions: ParsableArguments {
  @Flag(help: "Print times in UTC instead of the local zone (TZ).")
  var utc = false

  var clock: WallClock { utc ? .utc : .local }
}
