# The guard of a folder: see folder-guard.ts. Waits until whoever holds the other end of its input is gone.
folder=$1
while read -r ignored; do :; done

tries=0
while
  running=$(find /proc -maxdepth 2 -name cwd '(' -lname "$folder" -o -lname "$folder/*" ')' 2>/dev/null)
  [ -n "$running" ]
do
  # PostgreSQL's quick end that leaves no shared memory; three seconds of it, then the one that nobody can refuse.
  signal=QUIT
  [ $tries -ge 60 ] && signal=KILL
  for link in $running; do
    pid=${link#/proc/}
    kill -$signal "${pid%/cwd}" 2>/dev/null
  done
  tries=$((tries + 1))
  sleep 0.05
done

for mounted in "$folder"/*; do
  grep -qsF " $mounted " /proc/mounts && umount "$mounted"
done
rm -rf "$folder"
