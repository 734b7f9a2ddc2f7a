package import TapelineOffline
internal import TapelineSystem
internal import TapelineTLS

/// All the files that make programs trust our authority.
package struct TrustMaterial {
  package let files: TrustFiles
  /// Absent if there is no Java, or if no store could be made for it.
  let javaStore: JavaTrustStore?
  /// The pin of our authority's key, as Chromium takes it (`AuthorityCertificate.keyPin`).
  let keyPin: String?
  /// Its certificate, PEM.
  let authorityFile: String?

  package init(files: TrustFiles, javaStore: JavaTrustStore?, keyPin: String? = nil, authorityFile: String? = nil) {
    self.files = files
    self.javaStore = javaStore
    self.keyPin = keyPin
    self.authorityFile = authorityFile
  }

  /// Writes what is missing: the files into `directory`, Java's store beside the authority.
  ///
  /// A failure to make Java's store is reported, but is not an error.
  package init(
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
      javaStore: Self.javaStore(authority, home, environment), keyPin: authority.keyPin,
      authorityFile: home.certificateFile)
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

/// The files that make programs trust our authority, beside everything that they trust without us.
package struct TrustFiles {
  /// PEM: the system's roots, what the environment names already, the authorities of `--upstream-ca`, and ours.
  package let bundle: String
  /// Wget built with GnuTLS reads no variable for the bundle, only a start-up file: the user's own, plus the path of the bundle.
  let wgetrc: String
  /// For PHP, which reads no variable for the bundle either: the directories where it looks for settings, its own and ours, which
  /// has one file. Separated by colons; an empty one is PHP's own.
  let phpDirectories: String?

  /// A larger file is not a start-up file.
  private static let sizeLimit = 16 << 20

  init(bundle: String, wgetrc: String, phpDirectories: String? = nil) {
    self.bundle = bundle
    self.wgetrc = wgetrc
    self.phpDirectories = phpDirectories
  }

  /// Writes the files into `directory`.
  init(
    in directory: String, authority: AuthorityCertificate, upstreamAuthorities: [String], environment: [String: String]
  ) throws(CommandFailure) {
    let settings = "\(directory)/php"
    let others = (environment[TrustEnvironment.phpName] ?? "").split(separator: ":", omittingEmptySubsequences: false)
    self.init(
      bundle: "\(directory)/ca-bundle.pem", wgetrc: "\(directory)/wgetrc",
      // The last directory wins.
      phpDirectories: (others.filter { $0 != settings } + [Substring(settings)]).joined(separator: ":"))
    let bundle = bundle
    let files =
      [CertificateBundle.systemRoots(environment: environment)].compactMap(\.self) + upstreamAuthorities
      + TrustEnvironment.files(in: environment).filter { $0 != bundle && SystemCalls.exists($0) }
    do throws(AuthorityError) {
      try CertificateBundle(files: files, adding: authority).write(to: bundle)
    } catch {
      throw CommandFailure(error)
    }
    let php = "curl.cainfo=\"\(bundle)\"\nopenssl.cafile=\"\(bundle)\"\n"
    do throws(SystemCallError) {
      try Directory.makeUnlessPresent(settings, mode: 0o700)
    } catch {
      throw CommandFailure(
        status: .cannotCreate, what: settings, why: error.text, remedy: "make room there, or use --no-intercept")
    }
    try Self.write(Array(php.utf8), to: "\(settings)/tapeline.ini")
    try Self.write(Self.startUpText(environment, except: wgetrc) + Array("ca_certificate = \(bundle)\n".utf8), to: wgetrc)
  }

  /// The text of the user's own start-up file; Wget reads ours instead.
  private static func startUpText(_ environment: [String: String], except ours: String) -> [UInt8] {
    let named = environment["WGETRC"].flatMap { $0 == ours ? nil : $0 }
    guard let path = named ?? environment["HOME"].map({ "\($0)/.wgetrc" }) else { return [] }
    do throws(SystemCallError) {
      return try WholeFile.read(path, limit: sizeLimit) + [UInt8(ascii: "\n")]
    } catch {
      // Most users have no such file.
      return []
    }
  }

  private static func write(_ bytes: [UInt8], to path: String) throws(CommandFailure) {
    do throws(PrivateFileError) {
      // The file may hold the user's passwords.
      try WholeFile.write(bytes, to: path)
    } catch {
      throw CommandFailure(
        status: .cannotCreate, what: path, why: error.description, remedy: "make room there, or use --no-intercept")
    }
  }
}
