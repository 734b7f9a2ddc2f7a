internal import ArgumentParser
internal import TapelineInspect

/// The time zone of the times that are printed for people.
struct ClockOptions: ParsableArguments {
  @Flag(help: "Print times in UTC instead of the local zone (TZ).")
  var utc = false

  var clock: WallClock { utc ? .utc : .local }
}
