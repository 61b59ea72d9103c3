"""Hot reload: watch the apps' folders, load what changed beside what runs, swap."""
