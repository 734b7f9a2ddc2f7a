/// Texts of strangers that would do harm if any page took them for more than text: each would set `window.harmed`, load
/// something, change what objects have, or look like something else.
enum HostileTexts {
  static var all: [String] { elements + attributes + addresses + styles + templates + members + characters }

  /// What media type a body says that it has.
  static let mediaTypes = [
    "text/html", "image/svg+xml", "application/json", "text/event-stream", "text/plain", "application/xhtml+xml", "text/css",
    "text/javascript", "application/xml", "application/graphql-response+json", "text/markdown", "multipart/form-data; boundary=b",
  ]

  private static let elements = [
    #"</script><script>window.harmed=1</script>"#, #"<script>window.harmed=1</script>"#, #"<ScRiPt/x>window.harmed=1</sCrIpT >"#,
    #"<!--<script>window.harmed=1</script>-->"#, #"--><script>window.harmed=1</script>"#, #"]]><script>window.harmed=1</script>"#,
    #"<![CDATA[<script>window.harmed=1</script>]]>"#, #"</title><script>window.harmed=1</script>"#,
    #"</textarea><script>window.harmed=1</script>"#, #"</style><script>window.harmed=1</script>"#,
    #"</noscript><script>window.harmed=1</script>"#, #"</template><script>window.harmed=1</script>"#,
    #"<script type=module>window.harmed=1</script>"#, #"<script src="http://127.0.0.1:9/a.js"></script>"#,
    #"<iframe srcdoc="<script>parent.harmed=1</script>"></iframe>"#, #"<iframe src="javascript:parent.harmed=1"></iframe>"#,
    #"<object data="javascript:window.harmed=1"></object>"#, #"<embed src="javascript:window.harmed=1">"#,
    #"<base href="http://127.0.0.1:9/">"#, #"<meta http-equiv="refresh" content="0;url=http://127.0.0.1:9/">"#,
    #"<link rel=stylesheet href="http://127.0.0.1:9/a.css">"#, #"<form action="http://127.0.0.1:9/"><input autofocus></form>"#,
    #"<svg xmlns="http://www.w3.org/2000/svg"><script>window.harmed=1</script></svg>"#,
    #"<math><mtext></form><form><mglyph><style></math><img src=x onerror=window.harmed=1>"#,
    #"<form id=details><input name=parentNode><input name=textContent></form>"#,
  ]

  private static let attributes = [
    #"<img src=x onerror="window.harmed=1">"#, #"<svg onload="window.harmed=1">"#, #"<body onload=window.harmed=1>"#,
    #"<details open ontoggle=window.harmed=1>"#, #"<video><source onerror=window.harmed=1></video>"#,
    #"<marquee onstart=window.harmed=1>"#, #"<input onfocus=window.harmed=1 autofocus>"#,
    #"' onmouseover='window.harmed=1' autofocus onfocus='window.harmed=1"#,
    #"" onmouseover="window.harmed=1" autofocus onfocus="window.harmed=1"#, #"` onmouseover=`window.harmed=1"#,
    #"<svg><animate attributeName=href values=javascript:window.harmed=1 begin=0s></svg>"#,
    #"<svg><set attributeName=onmouseover to=window.harmed=1></svg>"#,
  ]

  private static let addresses = [
    "javascript:window.harmed=1", "JaVaScRiPt:window.harmed=1//", "java\tscript:window.harmed=1", " javascript:window.harmed=1",
    "data:text/html,<script>window.harmed=1</script>", "vbscript:window.harmed=1", "blob:null/window.harmed=1",
    "//127.0.0.1:9/a.png", "http://127.0.0.1:9/a.png", "file:///etc/passwd",
  ]

  private static let styles = [
    "background:url(http://127.0.0.1:9/a.png)", "expression(window.harmed=1)", "</style><style>*{display:none}",
    "@import 'http://127.0.0.1:9/a.css';", "x:expression(window.harmed=1);behavior:url(#default#time2)",
  ]

  private static let templates = [
    "${window.harmed=1}", "{{constructor.constructor('window.harmed=1')()}}", "#{window.harmed=1}", "<%= window.harmed=1 %>",
    "`+(window.harmed=1)+`", "'+(window.harmed=1)+'", "\\u003cscript>window.harmed=1\\u003c/script>", "$& $' $` $1 $$",
  ]

  private static let members = [
    "__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf",
    #"{"__proto__":{"harmed":1},"constructor":{"prototype":{"harmed":1}}}"#, #"[{"__proto__":{"harmed":1}}]"#,
  ]

  private static let characters = [
    "\u{202E}gnp.exe\u{202C}", "\u{2066}\u{2067}a\u{2069}", "\u{0}\u{7}\u{1B}[31m\u{9B}2J", "\u{2028}\u{2029};window.harmed=1",
    "\u{FEFF}\u{FFFE}\u{FFFF}", String(repeating: "n", count: 60_000), String(repeating: "<b>", count: 5_000),
  ]
}
