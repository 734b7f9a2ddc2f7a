/// Where commands have secrets, as their manuals say: in options that mean something else to other commands, and in words without
/// a name.
enum CommandTable {
  /// A place of a secret among the words behind a command's name.
  enum Place {
    /// `-pS` and `-p S`.
    case letter(Character)
    /// `-pS` alone: without a value the command asks for it.
    case attached(Character)
    /// `-keypass S` and `-keypass=S`: an option, or a word, with one dash or none.
    case word(String)
    /// `/p:S`, `pass:S`: the rest of a word.
    case prefix(String)
    /// `-U user%S`: the rest of the option's value behind a separator.
    case part(Character, behind: Character)
    /// `-var name=S`, `-var=name=S`: the value of a name.
    case assignment(String)
    /// The words from a place behind a subcommand on, options aside: `login S` is 0, `auth user S` is 1. An option may have a
    /// value of its own, so that the secret comes later.
    case behind([String], Int)
    /// The same, if an option has one of these letters: `htpasswd -b file user S`.
    case last(ifFlag: Character)
    /// `config set NAME S`, if the name is a secret's.
    case setting([String])
    /// `user/S@database`.
    case userAndPassword
    /// `domain/user:S@host`.
    case credentials
    /// `a=b,password=S`: a list of settings in one word.
    case list
  }

  /// By the command's name, without its directory and the ending of a script.
  static let places: [String: [Place]] = {
    var table: [String: [Place]] = [:]
    for (commands, places) in rows {
      for command in commands.split(separator: " ") { table[String(command), default: []] += places }
    }
    return table
  }()

  private static let rows: [(String, [Place])] = [
    // Databases.
    ("sqlplus exp imp expdp impdp sqlldr rman sql", [.userAndPassword]),
    (
      "mongo mongosh mongodump mongorestore mongoexport mongoimport mongostat mongotop mongofiles cqlsh cypher-shell",
      [.letter("p")]
    ),
    ("mysqlsh mysqlcheck mysqlshow mysqlslap mysqlpump mysqlbinlog mariadb-check mariadb-import mycli", [.attached("p")]),
    ("bcp osql isql tsql sqlcmd mssql-cli", [.letter("P")]),
    ("influx", [.word("-password"), .letter("t")]),
    ("redis-cli valkey-cli", [.behind(["auth"], 0), .behind(["AUTH"], 0), .word("requirepass"), .word("masterauth")]),
    ("arangosh couchbase-cli cbq cbbackup cbrestore", [.letter("p")]),
    ("neo4j-admin", [.behind(["set-initial-password"], 0)]),
    // Files, mail and networks of Windows.
    ("smbclient smbget smbcacls smbmap rpcclient net wmic winexe smbspool smbtree", [.part("U", behind: "%")]),
    ("net", [.behind(["use"], 2)]),
    ("mount mount.cifs sshfs qemu-system-x86_64", [.list]),
    (
      "psexec wmiexec smbexec atexec dcomexec secretsdump mssqlclient GetUserSPNs GetNPUsers lookupsid samrdump rpcdump getTGT",
      [.credentials]
    ),
    ("lftp", [.part("u", behind: ",")]),
    ("ncftp ncftpget ncftpput", [.letter("p")]),
    ("rdesktop crackmapexec cme netexec nxc evil-winrm", [.letter("p")]),
    ("xfreerdp xfreerdp3 wlfreerdp sdl-freerdp", [.prefix("/p:"), .prefix("/gp:")]),
    ("swaks", [.word("--auth-password"), .word("-ap")]),
    ("mosquitto_pub mosquitto_sub mosquitto_rr", [.letter("P")]),
    ("rabbitmqadmin", [.letter("p")]),
    ("rabbitmqctl", [.behind(["add_user"], 1), .behind(["change_password"], 1), .behind(["authenticate_user"], 1)]),
    ("snmpget snmpwalk snmpset snmpbulkwalk snmptrap", [.letter("c"), .letter("A"), .letter("X")]),
    ("ipmitool", [.letter("P")]),
    ("nmcli", [.word("password")]),
    ("wpa_passphrase", [.behind([], 1)]),
    ("ldapcompare ldapmodrdn ldapurl ldapexop", [.letter("w")]),
    ("kadmin", [.letter("w")]),
    // Archives, keys and certificates.
    ("rar unrar 7z 7za 7zz 7zr", [.attached("p"), .prefix("-hp")]),
    ("zip unzip zipcloak", [.letter("P")]),
    ("openssl", [.prefix("pass:"), .word("-k"), .word("-K"), .word("-passin"), .word("-passout"), .word("-pass")]),
    ("ssh-keygen", [.letter("N"), .letter("P")]),
    (
      "keytool jarsigner",
      [
        .word("-keypass"), .word("-storepass"), .word("-new"), .word("-srcstorepass"), .word("-deststorepass"),
        .word("-srckeypass"), .word("-destkeypass"),
      ]
    ),
    ("apksigner", [.prefix("pass:")]),
    ("certutil pk12util signtool", [.letter("p"), .letter("W"), .letter("K")]),
    ("qpdf pdftk", [.word("user_pw"), .word("owner_pw"), .word("input_pw")]),
    ("pdftotext pdftoppm pdfinfo", [.word("-upw"), .word("-opw")]),
    ("htpasswd htdigest", [.last(ifFlag: "b")]),
    ("mkpasswd", [.behind([], 0)]),
    // Clouds, packages and services.
    ("vault", [.behind(["login"], 0), .behind(["unwrap"], 0), .behind(["operator", "unseal"], 0)]),
    ("cargo", [.behind(["login"], 0)]),
    ("snyk", [.behind(["auth"], 0)]),
    ("ngrok", [.behind(["authtoken"], 0), .behind(["add-authtoken"], 0)]),
    ("wandb", [.behind(["login"], 0)]),
    ("doctl flyctl fly", [.letter("t")]),
    ("cf", [.behind(["auth"], 1)]),
    ("az cf ibmcloud oc docker podman buildah skopeo helm nerdctl expo eas", [.behind(["login"], -1)]),
    ("skopeo", [.word("--creds")]),
    ("mc", [.behind(["alias", "set"], 3), .behind(["config", "host", "add"], 3)]),
    ("b2", [.behind(["authorize"], 1), .behind(["authorize-account"], 1)]),
    ("rclone", [.behind(["obscure"], 0), .word("pass"), .word("password")]),
    ("aws", [.setting(["configure", "set"])]),
    ("npm yarn pnpm bun pip poetry git bundle gem conda", [.setting(["config", "set"]), .setting(["config"])]),
    ("composer", [.behind(["config"], 1)]),
    ("pulumi", [.behind(["--secret"], 1), .setting(["config", "set"])]),
    ("terraform tofu terragrunt", [.assignment("-var"), .assignment("--var")]),
    ("kubectl oc microk8s", [.assignment("--from-literal")]),
    ("gh", [.letter("b")]),
    ("heroku", [.behind(["auth:token"], 0)]),
    ("nuget", [.behind(["setapikey"], 0), .behind(["push"], 1)]),
    ("dotnet", [.letter("k")]),
    ("ansible ansible-playbook", [.assignment("-e"), .assignment("--extra-vars")]),
    ("step", [.word("--password")]),
  ]
}
