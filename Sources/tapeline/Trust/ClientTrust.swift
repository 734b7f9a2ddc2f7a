internal import TapelineTLS

/// All the files that make programs trust our authority.
struct ClientTrust {
  let files: TrustFiles
  /// Absent if there is no Java, or if no store could be made for it.
  let javaStore: JavaTrustStore?

  init(files: TrustFiles, javaStore: JavaTrustStore?) {
    self.files = files
    self.javaStore = javaStore
  }

  /// Writes what is missing: the files into `directory`, Java's store beside the authority.
  ///
  /// A failure to make Java's store is reported, but is not an error.
  init(
    in directory: String, interception: RecordingStatus.Interception, environment: [String: String]
  ) throws(CommandFailure) {
    let home = AuthorityDirectory(path: interception.directory)
    let authority: AuthorityCertificate
    do throws(AuthorityError) {
      authority = try AuthorityCertificate.load(from: home)
    } catch {
      throw CommandFailure(error)
    }
    self.init(
      files: try TrustFiles(
        in: directory, authority: authority, upstreamAuthorities: interception.upstreamAuthorities, environment: environment),
      javaStore: Self.javaStore(authority, home, environment))
  }

  private static func javaStore(
    _ authority: AuthorityCertificate, _ home: AuthorityDirectory, _ environment: [String: String]
  ) -> JavaTrustStore? {
    guard let java = JavaInstallation(environment: environment) else { return nil }
    do throws(CommandFailure) {
      return try JavaTrustStore(for: java, authority: authority, in: home)
    } catch {
      Console.say(error.description)
      return nil
    }
  }
}
