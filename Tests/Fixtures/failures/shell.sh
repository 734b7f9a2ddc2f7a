# Asks for each URL by curl or wget, and prints a line for each: its name, the exit status, and curl's status of HTTP.
client=$1
shift
for pair; do
  url=${pair#*=}
  case $client in
    curl) said=$(curl -s -m 20 -o /dev/null -w ' %{http_code}' "$url") ;;
    wget) said=$(wget -q --tries=1 --timeout=20 -O /dev/null "$url") ;;
  esac
  echo "${pair%%=*} exit $?${said#" 000"}"
done
