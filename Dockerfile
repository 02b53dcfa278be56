# syntax=docker/dockerfile:1
# Build: what is needed to install. Runtime: Python, Fourfold, and kernels that are compiled already.
FROM python:3.13-slim AS build
RUN pip install --no-cache-dir "uv>=0.9"
WORKDIR /app
COPY pyproject.toml uv.lock README.md LICENSE ./
COPY sim sim
COPY results results
COPY workers workers
COPY cli cli
RUN uv sync --frozen --no-dev --no-editable --compile-bytecode

FROM python:3.13-slim
RUN useradd --uid 10001 --create-home fourfold && install -d -o fourfold -g fourfold /runs /bots
COPY --from=build /app/.venv /app/.venv
ENV PATH=/app/.venv/bin:$PATH \
    FOURFOLD_RUNS=/runs \
    FOURFOLD_BOTS=/bots
USER fourfold
WORKDIR /runs
# A short run of each game with each of its bots compiles them all; the digest of the source names their folder.
RUN <<END
set -e
export FOURFOLD_CACHE=/home/fourfold/kernels
bots=$(python -c 'from sim.contract import *; print(*(f"{game}:{bot}" for game in game_names() for bot in load_game(game).bots))')
for each in $bots; do
    fourfold run "${each%:*}" --bots "${each#*:}" --deals 50 --out /tmp/first
    rm -r /tmp/first
done
END
# The root may be read-only: compiled bots of users go where there is room, beside a copy of the kernels.
ENV FOURFOLD_CACHE=/tmp/fourfold
ENTRYPOINT ["/bin/sh", "-c", "(umask 077; cp -rp /home/fourfold/kernels /tmp/fourfold); exec \"$@\"", "--"]
CMD ["fourfold", "worker"]
