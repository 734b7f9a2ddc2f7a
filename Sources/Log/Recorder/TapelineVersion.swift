/// The version that `--version` prints and that the HAR names for its creator.
package enum TapelineVersion {
  package static let current = "0.1.0"
}
